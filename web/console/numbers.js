// The formats of the console's numbers.

export function signed(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value > 0 ? '+' : '−'}${text}`;
}

export function milliseconds(value) {
  return value === null ? '–' : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}
