// One slider for the delay of the translation, from sooner to more accurate.
//
// It chooses among policies that the model was trained for. Two of them have names here, because their effect is the
// same for every model: `auto` holds a lag, and `full-sentence` waits for the end.

import { setText } from './dom.js';
import { count } from './numbers.js';

const LAGS = [2, 3, 4, 5, 6, 8, 10]; // words

// Returns [{policy, means}] from the soonest to the most accurate; empty if the model has only a delay of its own.
export function delaySteps(catalogue, model) {
  const suits = (name) => catalogue.policy(name) && catalogue.suits(model, catalogue.policy(name));
  const lags = LAGS.map((lag) => ({
    policy: `auto:lag=${lag}`,
    means: `The translation stays about ${count(lag, 'word')} behind the speaker.`,
  }));
  const whole = { policy: 'full-sentence', means: 'Each sentence is translated when it has ended.' };
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
    else if (!own) this.#describe(`Set under Expert: ${policy}.`);
    else if (steps.length === 0) this.#describe('This model has only a delay of its own.');
    else this.#describe('The model waits for as many words as it was trained for. Move the slider for another delay.');
  }

  get #step() {
    return this.#steps[Number(this.#slider.value)];
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
