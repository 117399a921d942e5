// The daemon's models and policies, and the syntax of a policy.

import { problemOf } from '../problems.js';
import { endpoint } from '../wire.js';

export class Catalogue {
  models; // as /v1/models has them
  policies; // as /v1/policies has them

  constructor(models, policies) {
    this.models = models;
    this.policies = policies;
  }

  static async load(home, token) {
    const get = async (path) => {
      const answer = await fetch(endpoint(home, path, 'http', { token }));
      if (!answer.ok) throw await problemOf(answer);
      return answer.json();
    };
    return new Catalogue(...(await Promise.all([get('v1/models'), get('v1/policies')])));
  }

  // The pairs of languages, [{source, target}], each once.
  get languages() {
    const pairs = this.models.flatMap((model) => targetsOf(model).map((target) => ({ source: model.source, target })));
    return [...new Map(pairs.map((pair) => [`${pair.source} ${pair.target}`, pair])).values()];
  }

  modelsFor({ source, target }) {
    return this.models.filter((model) => model.source === source && targetsOf(model).includes(target));
  }

  model(name) {
    return this.models.find((model) => model.name === name);
  }

  policy(name) {
    return this.policies.find((policy) => policy.name === name);
  }

  // Returns true if the model was trained for the policy.
  suits(model, policy) {
    return policy.trained_as.some((name) => model.policies.includes(name));
  }

  // Returns {name, values: {delta: 1}} for "gma:delta=1", defaults included, or null if the policy is unknown.
  parse(spec) {
    const [name, given = ''] = spec.split(':');
    const policy = this.policy(name);
    if (!policy) return null;
    const values = Object.fromEntries(policy.parameters.map((parameter) => [parameter.name, parameter.default]));
    for (const part of given.split(',').filter((text) => text !== '')) {
      const [key, value] = part.split('=');
      if (key in values) values[key] = Number(value);
    }
    return { name, values };
  }

  // Returns the shortest spec: the first parameter, and those that differ from their default.
  write({ name, values }) {
    const { parameters } = this.policy(name);
    const needed = parameters.filter((parameter, i) => i === 0 || values[parameter.name] !== parameter.default);
    const texts = needed.map((parameter) => `${parameter.name}=${values[parameter.name]}`);
    return texts.length === 0 ? name : `${name}:${texts.join(',')}`;
  }
}

// An older daemon has no `targets`.
function targetsOf({ target, targets = [target] }) {
  return targets;
}

// Returns the least, the usual largest and the largest value of a control, and its step. An excluded bound is moved
// inward by one step. `high` is null if there is no upper bound.
export function range({ minimum, exclusiveMinimum, maximum, exclusiveMaximum, usual_maximum: usual, step }) {
  return {
    low: minimum ?? exclusiveMinimum + step,
    usual,
    high: maximum ?? (exclusiveMaximum === undefined ? null : exclusiveMaximum - step),
    step,
  };
}
