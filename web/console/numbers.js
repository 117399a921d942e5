// The formats of the console's numbers.

import { number } from '../strings.js';

export function signed(value, digits) {
  const text = number(Math.abs(value), digits);
  return text === number(0, digits) ? text : `${value > 0 ? '+' : '−'}${text}`;
}

export function milliseconds(value) {
  return value === null ? '–' : `${number(value, value < 10 ? 1 : 0)} ms`;
}
