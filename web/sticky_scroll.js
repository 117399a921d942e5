// Keeps the end of growing content in view, unless the reader has scrolled away from it.
//
// New lines roll in. The content has the same height as its lines and what style.css leaves free below them.

const SLACK = 8; // pixels from the end that count as the end

const ROLL = { duration: 260, easing: 'cubic-bezier(.2, .7, .2, 1)' };

export class StickyScroll {
  away = false; // the reader has scrolled away from the end
  #frame;
  #content;
  #onAway;
  #height = 0; // of the content
  #top = 0; // the last position
  #still = matchMedia('(prefers-reduced-motion: reduce)');

  // onAway(away): the reader has left the end, or is there again.
  constructor(frame, content, onAway) {
    this.#frame = frame;
    this.#content = content;
    this.#onAway = onAway;
    frame.addEventListener('scroll', () => this.#scrolled());
    // Runs before the next paint. It sees all changes since the last one at once.
    const observer = new ResizeObserver(() => this.#resized());
    observer.observe(frame);
    observer.observe(content);
  }

  jumpToEnd() {
    this.#setAway(false);
    this.#stick();
  }

  // Rolls in progress enlarge the frame's scrollHeight, but not the content's height.
  get #end() {
    return Math.max(0, this.#content.offsetHeight - this.#frame.clientHeight);
  }

  #stick() {
    this.#frame.scrollTop = this.#end;
    this.#top = this.#frame.scrollTop;
  }

  // Growth of the content does not move the position. Only a reader moves it up.
  #scrolled() {
    const { scrollTop } = this.#frame;
    if (this.#end - scrollTop <= SLACK) this.#setAway(false);
    else if (scrollTop < this.#top - 1) this.#setAway(true);
    this.#top = scrollTop;
  }

  #resized() {
    const grown = this.#content.offsetHeight - this.#height;
    this.#height += grown;
    if (this.away) return;
    this.#stick();
    // Text that fills the frame at once, such as the talk so far, does not roll.
    if (grown > 0 && grown < this.#frame.clientHeight && !this.#still.matches) this.#roll(grown);
  }

  // Starts at the present position of the lines, which may be in the middle of another roll.
  #roll(height) {
    const above = new DOMMatrix(getComputedStyle(this.#content).transform).f;
    this.#content.animate([{ transform: `translateY(${above + height}px)` }, { transform: 'none' }], ROLL);
  }

  #setAway(away) {
    if (away === this.away) return;
    this.away = away;
    this.#onAway(away);
  }
}
