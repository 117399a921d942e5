// An element with properties and children. What comes over the wire is text, never markup.
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Only what changes is written, so that a screen reader tells nothing twice.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
