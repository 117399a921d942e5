// Returns an element with properties and children. Data from the network is text, never markup.
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Writes only a changed text, because a screen reader announces each write.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
