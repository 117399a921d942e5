// What a stream can be started with: the daemon's models and policies, and how a policy is written.

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
      if (!answer.ok) throw new Error((await answer.text()).trim() || `it answers ${answer.status}`);
      return answer.json();
    };
    return new Catalogue(...(await Promise.all([get('v1/models'), get('v1/policies')])));
  }

  // [{source, target}], each once.
  get languages() {
    const seen = new Map(this.models.map(({ source, target }) => [`${source} ${target}`, { source, target }]));
    return [...seen.values()];
  }

  modelsFor({ source, target }) {
    return this.models.filter((model) => model.source === source && model.target === target);
  }

  model(name) {
    return this.models.find((model) => model.name === name);
  }

  policy(name) {
    return this.policies.find((policy) => policy.name === name);
  }

  // Whether the model was trained for the policy.
  suits(model, policy) {
    return policy.trained_as.some((name) => model.policies.includes(name));
  }

  // "gma:delta=1" to {name, values: {delta: 1}}, with defaults; null where there is no such policy.
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

  // The shortest spec that says all that is not a default, but for the first parameter, which is always told.
  write({ name, values }) {
    const { parameters } = this.policy(name);
    const told = parameters.filter((parameter, i) => i === 0 || values[parameter.name] !== parameter.default);
    const texts = told.map((parameter) => `${parameter.name}=${values[parameter.name]}`);
    return texts.length === 0 ? name : `${name}:${texts.join(',')}`;
  }
}

// The least and the largest value that a control offers; what lies on an open bound is one step inside.
export function range({ minimum, exclusiveMinimum, maximum, exclusiveMaximum, usual_maximum: usual, step }) {
  return {
    low: minimum ?? exclusiveMinimum + step,
    usual,
    high: maximum ?? (exclusiveMaximum === undefined ? null : exclusiveMaximum - step),
    step,
  };
}
