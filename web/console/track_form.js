// The fields of one track's model, policy and parameters.

import { mixed, phrase } from '../strings.js';
import { range } from './catalogue.js';
import { make } from './dom.js';

export class TrackForm {
  onChange = () => {}; // the operator has made another choice
  #offersAll = false;
  #catalogue;
  #root;
  #fields;
  #values = {}; // of the policy's parameters

  // `root`: the fieldset for the template's fields.
  constructor(root, template, catalogue) {
    this.#root = root;
    this.#catalogue = catalogue;
    root.append(template.content.cloneNode(true));
    for (const help of root.querySelectorAll('label + .help')) describe(help);
    const fields = [...root.querySelectorAll('[data-field]')];
    this.#fields = Object.fromEntries(fields.map((field) => [field.dataset.field, field]));
    this.#fields.model.addEventListener('change', () => this.#chooseModel());
    this.#fields.policy.addEventListener('change', () => this.choosePolicy(this.#fields.policy.value));
  }

  get policy() {
    return this.#catalogue.policy(this.#fields.policy.value);
  }

  get model() {
    return this.#catalogue.model(this.#fields.model.value);
  }

  // {model, policy}, as in `start` and `configure`.
  get choice() {
    return { model: this.model.name, policy: this.#catalogue.write({ name: this.policy.name, values: this.#values }) };
  }

  // A sentence if the model was not trained for the policy, otherwise ''.
  get warning() {
    if (this.#catalogue.suits(this.model, this.policy)) return '';
    const policies = this.model.policies.join(', ');
    return phrase('choice.warning', { model: this.model.name, policies, policy: this.policy.name });
  }

  // Shows the daemon's report of the values in force.
  set holds(text) {
    this.#fields.holds.textContent = text;
  }

  set shown(shown) {
    this.#root.hidden = !shown;
  }

  get shown() {
    return !this.#root.hidden;
  }

  // Offers the models of a pair of languages. Parts of the choice that are not available become the defaults. `place`:
  // the index of the default model.
  offer(languages, { model, policy } = {}, place = 0) {
    const models = this.#catalogue.modelsFor(languages);
    this.#fields.model.replaceChildren(...models.map(({ name }) => new Option(name)));
    this.#fields.model.value = (models.find(({ name }) => name === model) ?? models[place] ?? models[0]).name;
    this.#show(this.#catalogue.parse(policy ?? '') ?? this.#catalogue.parse(this.model.default_policy));
  }

  set(choice) {
    this.#fields.model.value = choice.model;
    this.#show(this.#catalogue.parse(choice.policy));
  }

  // Also offers policies that the model was not trained for, or not.
  set offersAll(all) {
    this.#offersAll = all;
    this.#offerPolicies(this.#fields.policy.value);
  }

  // Chooses a policy with parameters, as in `start`.
  choosePolicy(spec) {
    this.#show(this.#catalogue.parse(spec));
    this.onChange();
  }

  // Offers the policies, and `kept` in any case.
  #offerPolicies(kept) {
    const names = (suits) => {
      const policies = this.#catalogue.policies.filter((policy) => this.#catalogue.suits(this.model, policy) === suits);
      return policies.map(({ name }) => name).filter((name) => suits || this.#offersAll || name === kept);
    };
    const group = (label, offered) => make('optgroup', { label }, ...offered.map((name) => new Option(name)));
    const others = names(false);
    this.#fields.policy.replaceChildren(group(phrase('choice.trained'), names(true)), ...(others.length > 0 ? [group(phrase('choice.not-trained'), others)] : []));
    this.#fields.policy.value = kept;
  }

  // If the new model was not trained for the chosen policy, chooses the model's default policy.
  #chooseModel() {
    const { name } = this.policy;
    this.#showOrigin();
    this.#offerPolicies(name);
    if (this.#catalogue.suits(this.model, this.#catalogue.policy(name))) this.onChange();
    else this.choosePolicy(this.model.default_policy);
  }

  #showOrigin() {
    const { licence, origin } = this.model;
    this.#fields.origin.replaceChildren(...mixed('choice.licence', [stated(licence), stated(origin)]));
  }

  #show({ name, values }) {
    this.#showOrigin();
    this.#offerPolicies(name);
    this.#values = values;
    this.#fields.meaning.textContent = this.policy.meaning;
    this.#fields.parameters.replaceChildren(...this.policy.parameters.map((parameter) => this.#control(parameter)));
  }

  // Returns a slider for the usual values, and a number field for all values.
  #control({ name, ...parameter }) {
    const { low, usual, high, step } = range(parameter);
    const value = this.#values[name];
    const slider = make('input', { type: 'range', min: low, max: usual, step, ariaLabel: phrase('choice.usual-values', { name }) });
    const whole = parameter.type === 'integer' ? 1 : 'any';
    const number = make('input', { type: 'number', min: low, max: high ?? '', step: whole, required: true });
    slider.value = number.value = value;
    const show = (from, to) => from.addEventListener('input', () => (to.value = from.value));
    show(slider, number);
    show(number, slider);
    for (const field of [slider, number]) {
      field.addEventListener('change', () => {
        if (!number.reportValidity()) return;
        this.#values[name] = Number(number.value);
        this.onChange();
      });
    }
    return make('div', { className: 'parameter' }, make('label', {}, `${name} `, number), slider);
  }
}

// Returns what a model's package says of its licence or origin, a URL as a link. An older daemon says nothing.
function stated(text) {
  if (!text) return phrase('choice.unknown');
  return /^https?:\/\/\S+$/u.test(text) ? make('a', { href: text, target: '_blank', rel: 'noreferrer', textContent: text }) : text;
}

let described = 0;

// Makes a help text the description of the field before it.
function describe(help) {
  help.id = `track-help-${(described += 1)}`;
  help.previousElementSibling.querySelector('select').setAttribute('aria-describedby', help.id);
}
