// Grid of a sentence, source against target, drawn as SVG.
//
// It shows attention as shade, aligned positions as dots, and the staircase of READs (to the right) and WRITEs (down).

import { number, phrase } from './strings.js';

const SVG = 'http://www.w3.org/2000/svg';
const [NARROW, WIDE, ROW] = [15, 34, 24]; // pixels: least and largest width of a column; height of a row
const LEVELS = 20; // of the shade
const [PAD, ACTION] = [8, 104]; // pixels: margin; space for the actions, to the right of the last column
const CHARACTER = 7; // pixels: approximate width of a label's character

function add(parent, name, attributes = {}, text = undefined) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

const weightOf = (value) => number(value, value >= 100 ? 0 : value < 1 ? 3 : 2);
const shorten = (text) => (text.length > 14 ? `${text.slice(0, 13)}…` : text);

export class InsideGrid {
  #place;
  #describeCell;
  #svg;
  #marker;
  #table = null;
  #size;
  #cell = null; // [column, row] of the marked cell

  // Draws into `place`, which scrolls. `describeCell(text)` receives the description of the cell under the pointer or
  // the arrow keys, or ''.
  constructor(place, describeCell) {
    this.#place = place;
    this.#describeCell = describeCell;
    place.tabIndex = 0;
    place.setAttribute('role', 'group');
    place.addEventListener('keydown', (event) => this.#key(event));
    place.addEventListener('blur', () => this.#goTo(null));
    place.addEventListener('pointermove', (event) => this.#point(event));
    place.addEventListener('pointerleave', () => this.#goTo(null));
    place.addEventListener('scroll', () => this.#keepLabels());
  }

  // The largest weight, which has the darkest shade.
  get strongest() {
    return Math.max(0.001, ...this.#table.rows.map(({ weights }) => Math.max(0, ...(weights ?? []))));
  }

  // `table`: the result of tableOf() in inside_steps.js.
  draw(table) {
    const followed = this.#place.scrollTop + this.#place.clientHeight >= this.#place.scrollHeight - 2;
    this.#table = table;
    this.#size = this.#measure();
    const { width, height } = this.#size;
    const svg = document.createElementNS(SVG, 'svg');
    for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(key, value);
    svg.setAttribute('aria-hidden', 'true'); // the arrow keys describe its cells
    this.#svg = svg;
    this.#drawGround();
    this.#drawShade();
    this.#drawStairs();
    this.#drawDots();
    this.#marker = add(svg, 'rect', { class: 'marker', width: 0, height: 0 });
    this.#drawLabels();
    this.#place.replaceChildren(svg);
    this.#place.setAttribute('aria-label', this.#describe());
    if (followed) this.#follow();
    this.#keepLabels();
    if (this.#cell) this.#goTo(this.#cell);
  }

  #describe() {
    const { rows, columns, unit } = this.#table;
    const read = rows.at(-1)?.read ?? 0;
    return phrase(`inside.grid-${unit}`, { columns: columns.length, rows: rows.length, read });
  }

  #measure() {
    const { columns, rows } = this.#table;
    const longest = (items) => Math.max(3, ...items.map(({ label }) => Math.min(14, label.length + 1)));
    const left = PAD + longest(rows) * CHARACTER + 8;
    const top = PAD + longest(columns) * CHARACTER * 0.8 + 12;
    const room = this.#place.clientWidth - left - ACTION - 2 * PAD;
    const column = Math.min(WIDE, Math.max(NARROW, room / Math.max(1, columns.length)));
    return { left, top, column, width: left + column * columns.length + ACTION, height: top + ROW * rows.length + PAD };
  }

  #x(column) {
    return this.#size.left + column * this.#size.column;
  }

  #y(row) {
    return this.#size.top + row * ROW;
  }

  // Tints the source that has not been read. Lines separate words.
  #drawGround() {
    const { columns, rows } = this.#table;
    const right = this.#x(columns.length);
    const [top, bottom] = [this.#y(0), this.#y(rows.length)];
    const unread = rows.map(({ read }, i) => `M${this.#x(read)} ${this.#y(i)}H${right}v${ROW}H${this.#x(read)}z`).join('');
    add(this.#svg, 'path', { class: 'unread', d: unread });
    const lines = [];
    columns.forEach(({ begins }, j) => begins && lines.push(`M${this.#x(j)} ${top}V${bottom}`));
    rows.forEach(({ begins }, i) => begins && lines.push(`M${this.#x(0)} ${this.#y(i)}H${right}`));
    add(this.#svg, 'path', { class: 'line', d: `${lines.join('')}M${right} ${top}V${bottom}H${this.#x(0)}` });
  }

  #drawShade() {
    const { strongest } = this;
    const levels = Array.from({ length: LEVELS + 1 }, () => []);
    this.#table.rows.forEach(({ weights }, i) =>
      weights?.forEach((weight, j) =>
        levels[Math.round((LEVELS * Math.max(0, weight)) / strongest)].push(
          `M${this.#x(j)} ${this.#y(i)}h${this.#size.column}v${ROW}h${-this.#size.column}z`)));
    levels.forEach((cells, level) => {
      if (level > 0 && cells.length > 0) {
        add(this.#svg, 'path', { class: 'shade', d: cells.join(''), 'fill-opacity': level / LEVELS });
      }
    });
  }

  // Scrolls to the last row and to the last source token that has been read.
  #follow() {
    this.#place.scrollTop = this.#place.scrollHeight;
    const edge = this.#x(this.#table.rows.at(-1)?.read ?? 0) + ACTION;
    this.#place.scrollLeft = Math.max(0, edge - this.#place.clientWidth);
  }

  // Keeps the labels visible while the grid is scrolled.
  #keepLabels() {
    const { scrollLeft, scrollTop } = this.#place;
    const move = (name, x, y) => this.#svg?.querySelector(name).setAttribute('transform', `translate(${x} ${y})`);
    move('.targets', scrollLeft, 0);
    move('.sources', 0, scrollTop);
    move('.corner', scrollLeft, scrollTop);
  }

  #drawLabels() {
    const { columns, rows } = this.#table;
    const { left, top, width, height } = this.#size;
    const text = ({ label, begins }) => shorten(begins ? label : `·${label}`);
    const targets = add(this.#svg, 'g', { class: 'targets' });
    add(targets, 'rect', { class: 'ground', width: left, height });
    const sources = add(this.#svg, 'g', { class: 'sources' });
    add(sources, 'rect', { class: 'ground', width, height: top });
    add(this.#svg, 'rect', { class: 'ground corner', width: left, height: top });
    columns.forEach((column, j) => {
      const [x, y] = [this.#x(j + 0.5) + 3, this.#size.top - 6];
      add(sources, 'text', { x, y, class: 'source', transform: `rotate(-52 ${x} ${y})` }, text(column));
    });
    rows.forEach((row, i) =>
      add(targets, 'text', { x: left - 8, y: this.#y(i + 0.5) + 4, class: 'target', 'text-anchor': 'end' }, text(row)));
  }

  #drawStairs() {
    const { rows } = this.#table;
    let before = 0;
    let path = `M${this.#x(0)} ${this.#y(0)}`;
    rows.forEach(({ read }, i) => {
      path += `H${this.#x(read)}v${ROW}`;
      const action = read > before ? `READ ${read - before}, WRITE` : 'WRITE';
      add(this.#svg, 'text', { x: this.#x(read) + 7, y: this.#y(i + 0.5) + 4, class: 'action' }, action);
      before = read;
    });
    add(this.#svg, 'path', { class: 'stairs', d: path });
  }

  // Token j is centred at position j, counted from 0.
  #drawDots() {
    const last = this.#table.columns.length - 0.5;
    this.#table.rows.forEach(({ positions }, i) => {
      for (const p of positions) {
        add(this.#svg, 'circle', { class: 'dot', cx: this.#x(Math.min(p, last) + 0.5), cy: this.#y(i + 0.5), r: 4 });
      }
    });
  }

  #key(event) {
    const { columns, rows } = this.#table ?? { columns: [], rows: [] };
    if (rows.length === 0) return;
    const first = [rows.at(-1).read - 1, rows.length - 1];
    const [j, i] = this.#cell ?? first;
    const to = {
      ArrowLeft: [j - 1, i],
      ArrowRight: [j + 1, i],
      ArrowUp: [j, i - 1],
      ArrowDown: [j, i + 1],
      Home: [0, i],
      End: [rows[i]?.read - 1, i],
      Escape: null,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
    const next = this.#cell === null && to !== null ? first : to;
    this.#goTo(next && [within(next[0], columns.length), within(next[1], rows.length)]);
    if (next) this.#marker.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #point(event) {
    if (!this.#table || !this.#svg) return;
    const { left, top } = this.#svg.getBoundingClientRect();
    const j = Math.floor((event.clientX - left - this.#size.left) / this.#size.column);
    const i = Math.floor((event.clientY - top - this.#size.top) / ROW);
    const inside = j >= 0 && i >= 0 && j < this.#table.columns.length && i < this.#table.rows.length;
    this.#goTo(inside ? [j, i] : null);
  }

  #goTo(cell) {
    const there = cell !== null && this.#table.columns[cell[0]] && this.#table.rows[cell[1]];
    if (!there && this.#cell === null) return;
    this.#cell = there ? cell : null;
    const [x, y] = there ? [this.#x(cell[0]), this.#y(cell[1])] : [0, 0];
    const size = there ? { width: this.#size.column, height: ROW } : { width: 0, height: 0 };
    for (const [key, value] of Object.entries({ x, y, ...size })) this.#marker.setAttribute(key, value);
    this.#describeCell(there ? this.#descriptionOf(...cell) : '');
  }

  #descriptionOf(j, i) {
    const { columns, rows, unit } = this.#table;
    const { label, weights, positions, read, delay } = rows[i];
    const parts = [phrase('inside.cell', { target: label, source: columns[j].label })];
    if (j >= read) parts.push(phrase('inside.cell-unread'));
    else if (weights) parts.push(phrase('inside.cell-weight', { weight: weightOf(weights[j] ?? 0) }));
    if (positions.length > 0) parts.push(`p ${positions.map(weightOf).join(', ')}`);
    parts.push(phrase(`inside.cell-${unit}`, { read, all: columns.length }));
    if (typeof delay === 'number') parts.push(phrase('inside.cell-delay', { seconds: number(delay / 1000, 2) }));
    return parts.join(' · ');
  }
}
