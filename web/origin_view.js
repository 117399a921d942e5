// Shows the origin of the word of the translation that is under the pointer or was chosen by the arrow keys.

const CURRENT = 'current-word';

export class OriginView {
  #target;
  #text;
  #screen;
  #word = null;

  constructor(document, screen) {
    this.#target = document.querySelector('#target');
    this.#text = document.querySelector('#origin');
    this.#screen = screen;
    const under = ({ target }) => target.closest?.('#target .word') ?? null;
    for (const type of ['pointerover', 'click']) this.#target.addEventListener(type, (event) => this.#show(under(event)));
    this.#target.addEventListener('pointerleave', () => this.#show(null));
    this.#target.addEventListener('blur', () => this.#show(null));
    this.#target.addEventListener('keydown', (event) => this.#key(event));
  }

  #key(event) {
    const words = [...this.#target.querySelectorAll('.word')];
    const at = words.indexOf(this.#word);
    const back = this.#target.dir === 'rtl' ? 'ArrowRight' : 'ArrowLeft';
    const forth = this.#target.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const to = {
      [back]: at < 0 ? words.length - 1 : Math.max(0, at - 1),
      [forth]: at < 0 ? words.length - 1 : Math.min(words.length - 1, at + 1),
      Home: 0,
      End: words.length - 1,
      Escape: -1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#show(words[to] ?? null);
  }

  #show(word) {
    if (word === this.#word) return;
    this.#word?.classList.remove('current');
    this.#word?.removeAttribute('id');
    this.#word = word;
    if (word !== null) {
      word.classList.add('current');
      word.id = CURRENT;
      this.#target.setAttribute('aria-activedescendant', CURRENT);
    } else {
      this.#target.removeAttribute('aria-activedescendant');
    }
    const { before, aligned, after } = this.#screen.showOrigin(word) ?? { before: '', aligned: '', after: '' };
    const strong = document.createElement('strong');
    strong.textContent = aligned;
    this.#text.replaceChildren(before, ...(aligned === '' ? [] : [strong]), after);
  }
}
