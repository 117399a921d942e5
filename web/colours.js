// Mixtures and contrast of colours, which are given as #rrggbb or #rgb.

function channels(colour) {
  const digits = colour.length === 4 ? colour.replace(/[0-9a-f]/giu, '$&$&') : colour;
  return [1, 3, 5].map((at) => parseInt(digits.slice(at, at + 2), 16));
}

export function translucent(colour, percent) {
  return `rgba(${channels(colour).join(', ')}, ${percent / 100})`;
}

// Returns a mixture of `share` of the first colour and the rest of the second.
export function mix(first, second, share) {
  const other = channels(second);
  const mixed = channels(first).map((value, i) => Math.round(value * share + other[i] * (1 - share)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function luminance(colour) {
  const [red, green, blue] = channels(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Returns WCAG's contrast ratio, 1 to 21.
export function contrast(first, second) {
  const [dark, light] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
