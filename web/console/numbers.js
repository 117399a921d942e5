// The formats of the console's numbers.

import { formatNumber } from '../strings.js';

export function signed(value, digits) {
  const text = formatNumber(Math.abs(value), digits);
  return text === formatNumber(0, digits) ? text : `${value > 0 ? '+' : '−'}${text}`;
}

export function milliseconds(value) {
  return value === null ? '–' : `${formatNumber(value, value < 10 ? 1 : 0)} ms`;
}
