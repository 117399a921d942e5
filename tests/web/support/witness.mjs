// Records all changes of the translation's words on a page.
//
// It runs in the page before the page's scripts and after readText.

// Sets window.witness. texts: the whole text after each change; moved: words that moved within a sentence; lost: the text
// of removed nodes; changed: texts that changed after they were shown.
export function witness() {
  const seen = { texts: [], moved: [], lost: [], changed: [] };
  const places = new Map();

  function place(word) {
    return `${word.offsetTop}:${word.offsetLeft}`;
  }

  function look(target) {
    seen.texts.push(window.readText('#target'));
    for (const word of target.querySelectorAll('.word')) {
      const now = place(word);
      const before = places.get(word) ?? now;
      if (now !== before) seen.moved.push(`${word.textContent}: ${before} to ${now}`);
      places.set(word, now);
    }
  }

  document.addEventListener('DOMContentLoaded', () => {
    const target = document.querySelector('#target');
    const observer = new MutationObserver((records) => {
      for (const { type, target: where, removedNodes } of records) {
        if (type === 'characterData') seen.changed.push(where.data);
        seen.lost.push(...Array.from(removedNodes, (node) => node.textContent));
      }
      look(target);
    });
    observer.observe(target, { childList: true, characterData: true, subtree: true });
  });
  window.witness = seen;
}
