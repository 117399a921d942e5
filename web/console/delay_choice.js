// One slider for the delay of the translation, from sooner to more accurate.
//
// It chooses among policies that the model was trained for. Two of them have names here, because their effect is the
// same for every model: `auto` holds a lag, and `full-sentence` waits for the end.

import { phrase } from '../strings.js';
import { setText } from './dom.js';

const LAGS = [2, 3, 4, 5, 6, 8, 10]; // words

// Returns [{policy, means}] from the soonest to the most accurate; empty if the model has only a delay of its own.
export function delaySteps(catalogue, model) {
  const suits = (name) => catalogue.policy(name) && catalogue.suits(model, catalogue.policy(name));
  const lags = LAGS.map((lag) => ({
    policy: `auto:lag=${lag}`,
    means: phrase('delay.behind', { count: lag }),
  }));
  const whole = { policy: 'full-sentence', means: phrase('delay.sentence') };
  return [...(suits('auto') ? lags : []), ...(suits('full-sentence') ? [whole] : [])];
}

export class DelayChoice {
  onChoose = () => {}; // (policy, as in `start`)
  #own;
  #slider;
  #means;
  #catalogue;
  #model = null;
  #steps = [];

  constructor(form, means, catalogue) {
    this.#own = form.elements.own;
    this.#slider = form.elements.delay;
    this.#means = means;
    this.#catalogue = catalogue;
    this.#own.addEventListener('change', () => this.onChoose(this.#own.checked ? this.#model.default_policy : this.#step.policy));
    this.#slider.addEventListener('input', () => this.#describe(this.#step.means));
    this.#slider.addEventListener('change', () => this.onChoose(this.#step.policy));
  }

  // Shows the delay of a track's model and policy.
  show({ model: name, policy }) {
    const model = this.#catalogue.model(name);
    const steps = delaySteps(this.#catalogue, model);
    const chosen = this.#find(steps, policy);
    const own = chosen < 0 && this.#same(policy, model.default_policy);
    this.#steps = steps;
    this.#slider.max = Math.max(steps.length - 1, 1);
    if (this.#model?.name !== name) this.#slider.value = Math.floor(steps.length / 2);
    this.#model = model;
    this.#slider.disabled = steps.length === 0;
    this.#own.disabled = steps.length === 0;
    this.#own.checked = own;
    if (chosen >= 0) this.#slider.value = chosen;
    if (chosen >= 0) this.#describe(steps[chosen].means);
    else if (!own) this.#describe(phrase('delay.expert', { policy }));
    else if (steps.length === 0) this.#describe(phrase('delay.none'));
    else this.#describe(phrase('delay.own'));
  }

  // A slider with a single step has two places, because a browser shows none with one.
  get #step() {
    return this.#steps[Math.min(Number(this.#slider.value), this.#steps.length - 1)];
  }

  #describe(text) {
    setText(this.#means, text);
    this.#slider.ariaValueText = text;
  }

  #find(steps, policy) {
    return steps.findIndex((step) => this.#same(step.policy, policy));
  }

  // Whether two texts are the same policy with the same parameters.
  #same(...specs) {
    const [one, other] = specs.map((spec) => this.#catalogue.write(this.#catalogue.parse(spec)));
    return one === other;
  }
}
