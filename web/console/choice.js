// The form of a stream's settings, before and during the stream; the browser stores them.

import { languageName } from '../languages.js';
import { Memory } from '../memory.js';
import { phrase } from '../strings.js';
import { channelName } from '../channel_name.js';
import { DelayChoice } from './delay_choice.js';
import { setText } from './dom.js';
import { glossaryProblem, readGlossary } from './glossary.js';
import { TrackForm } from './track_form.js';

const KEY = 'surtitle.console';
const SECOND = 'second'; // name of the second track

export class Choice {
  onTrack = () => {}; // ({track, model, policy}): another model or policy of a track, with the fields of `configure`
  onForm = () => {}; // (source_form)
  onHeading = () => {}; // ({title, speaker})
  onGlossary = () => {}; // (glossary)
  onChange = () => {};
  tracks; // track name -> TrackForm
  #form;
  #find;
  #catalogue;
  #memory = new Memory(KEY);
  #source;
  #delay;
  #titled = 'main'; // the channel's name by the title, or the one that a title replaces

  // `channel`: from the address, or null.
  constructor(document, catalogue, channel) {
    this.#find = (selector) => document.querySelector(selector);
    this.#form = this.#find('#choice');
    this.#catalogue = catalogue;
    const forms = ['', SECOND].map((name) => [
      name,
      new TrackForm(this.#find(`[data-track="${name}"]`), this.#find('#track-fields'), catalogue),
    ]);
    this.tracks = new Map(forms);
    this.#delay = new DelayChoice(this.#form, this.#find('#delay-means'), catalogue);
    this.#delay.onChoose = (policy) => this.tracks.get('').choosePolicy(policy);
    this.#offerLanguages();
    this.#recall(channel);
    for (const part of ['#expert', '#terms']) this.#find(part).addEventListener('toggle', () => this.#remember());
    this.#form.addEventListener('submit', (event) => event.preventDefault());
    this.#form.addEventListener('change', ({ target }) => this.#changed(target));
    for (const [name, track] of this.tracks) track.onChange = () => this.#trackChanged(name, track);
    this.#changed({});
  }

  get source() {
    return this.#source;
  }

  set source(source) {
    this.#source = source;
    this.#remember();
  }

  get channel() {
    return this.#form.elements.channel.value;
  }

  get languages() {
    return this.#catalogue.languages[Number(this.#form.elements.languages.value)];
  }

  // {title, speaker}, as in `start`, `configure` and `heading`.
  get heading() {
    const { title, speaker } = this.#form.elements;
    return { title: title.value.trim(), speaker: speaker.value.trim() };
  }

  set heading({ title = '', speaker = '' }) {
    this.#form.elements.title.value = title;
    this.#form.elements.speaker.value = speaker;
    this.#remember();
  }

  // Whether all fields have valid values; if not, the browser marks the invalid one.
  get valid() {
    return this.#form.reportValidity();
  }

  // The fields of the protocol's `start`.
  get start() {
    const { agreement, form, attention, compare } = this.#form.elements;
    const second = { name: SECOND, ...this.tracks.get(SECOND).choice };
    return {
      ...this.languages,
      ...this.tracks.get('').choice,
      channel: this.channel,
      ...this.heading,
      agreement: Number(agreement.value),
      source_form: form.value,
      attention: attention.checked,
      ...(this.glossary.length > 0 && { glossary: this.glossary }),
      tracks: compare.checked ? [second] : [],
    };
  }

  // Pairs of terms and translations.
  get glossary() {
    return readGlossary(this.#form.elements.glossary.value);
  }

  // Shows the settings of a stream that runs already, from its `start`.
  show({ source, target, source_form: form, agreement, attention, tracks, ...first }) {
    const compare = tracks.length > 0;
    this.#fill({ languages: `${source} ${target}`, form, agreement, attention, compare, first, second: tracks[0] });
    this.#changed({});
  }

  // Resets the models and policies of tracks. `tracks`: name -> {model, policy}.
  restore(tracks) {
    for (const [name, choice] of tracks) this.tracks.get(name).set(choice);
    this.#changed({});
  }

  // Disables the fields that cannot change while a stream runs.
  set locked(locked) {
    for (const name of ['channel', 'languages', 'agreement', 'attention', 'compare']) this.#form.elements[name].disabled = locked;
  }

  #offerLanguages() {
    const name = ({ source, target }) =>
      phrase('choice.pair', { source: languageName(source), target: languageName(target) });
    this.#form.elements.languages.append(...this.#catalogue.languages.map((pair, i) => new Option(name(pair), i)));
  }

  #offerModels({ first, second } = {}) {
    this.tracks.get('').offer(this.languages, first);
    this.tracks.get(SECOND).offer(this.languages, second, 1);
  }

  #changed({ name }) {
    const { compare, form, untrained } = this.#form.elements;
    if (name === 'languages') this.#offerModels();
    if (name === 'form') this.onForm(form.value);
    if (name === 'title') this.#nameChannel();
    if (name === 'title' || name === 'speaker') this.onHeading(this.heading);
    this.#checkGlossary(name === 'glossary');
    if (name === 'untrained') for (const track of this.tracks.values()) track.offersAll = untrained.checked;
    this.tracks.get(SECOND).shown = compare.checked;
    const shown = [...this.tracks.values()].filter((track) => track.shown);
    this.#delay.show(this.tracks.get('').choice);
    setText(this.#find('#trained'), shown.map(({ warning }) => warning).join(' '));
    this.#remember();
    this.onChange();
  }

  // Names the channel by the title, unless a stream has it or the operator has chosen another name.
  #nameChannel() {
    const { channel } = this.#form.elements;
    const name = channelName(this.heading.title);
    if (channel.disabled || channel.value !== this.#titled || name === '') return;
    channel.value = this.#titled = name;
  }

  // A glossary that the daemon would reject is not sent.
  #checkGlossary(changed) {
    const { glossary: field } = this.#form.elements;
    const shown = this.#find('#glossary-terms');
    const problem = glossaryProblem(field.value);
    field.setCustomValidity(problem);
    field.setAttribute('aria-invalid', problem !== '');
    shown.classList.toggle('error', problem !== '');
    setText(shown, problem || phrase('glossary.terms', { count: this.glossary.length }));
    if (problem) this.#find('#terms').open = true;
    else if (changed) this.onGlossary(this.glossary);
  }

  #trackChanged(name, track) {
    this.#changed({});
    this.onTrack({ ...(name === '' ? {} : { track: name }), ...track.choice });
  }

  #recall(channel) {
    const { channel: field, untrained } = this.#form.elements;
    const kept = this.#memory.recall();
    field.value = channel ?? kept.channel ?? field.value;
    const { title, speaker } = this.#form.elements;
    [title.value, speaker.value] = [kept.title ?? '', kept.speaker ?? ''];
    this.#titled = channelName(title.value) || this.#titled;
    this.#find('#expert').open = kept.expert === true;
    this.#find('#terms').open = kept.terms === true;
    this.#form.elements.glossary.value = kept.glossary ?? '';
    untrained.checked = kept.untrained === true;
    this.#source = kept.source ?? 'typing';
    this.#fill(kept);
    for (const track of this.tracks.values()) track.offersAll = untrained.checked;
  }

  #fill(kept) {
    const { languages, form, agreement, attention, compare } = this.#form.elements;
    const pair = this.#catalogue.languages.findIndex(({ source, target }) => `${source} ${target}` === kept.languages);
    languages.value = Math.max(pair, 0);
    if ([...form.options].some(({ value }) => value === kept.form)) form.value = kept.form;
    agreement.value = kept.agreement ?? agreement.value;
    attention.checked = kept.attention === true;
    compare.checked = kept.compare === true;
    this.#offerModels(kept);
  }

  #remember() {
    const { form, agreement, attention, compare, untrained } = this.#form.elements;
    const { source, target } = this.languages;
    this.#memory.remember({
      channel: this.channel,
      ...this.heading,
      languages: `${source} ${target}`,
      form: form.value,
      agreement: Number(agreement.value),
      attention: attention.checked,
      compare: compare.checked,
      untrained: untrained.checked,
      expert: this.#find('#expert').open,
      terms: this.#find('#terms').open,
      glossary: this.#form.elements.glossary.value,
      source: this.#source,
      first: this.tracks.get('').choice,
      second: this.tracks.get(SECOND).choice,
    });
  }
}
