// The form of a page that the daemon rejects, because its address has no valid token: it asks for an invitation.
//
// An invitation is a link to a channel's page, or the code in it, which is the token.

import { inLanguage, phrase } from './strings.js';

const CODE = /^[A-Za-z0-9._~-]{1,512}$/u;

// Returns {token, path} of what was entered, where `path` is the link's page or null, or {problem}, one sentence.
export function readInvitation(text, home) {
  const given = text.trim();
  if (given === '') return { problem: phrase('invitation.missing') };
  if (!/[/?=\s]/u.test(given)) return CODE.test(given) ? { token: given, path: null } : { problem: notACode(given) };
  return readLink(given, home);
}

function notACode(given) {
  return phrase('invitation.no-code', { text: short(given) });
}

function readLink(given, home) {
  const address = URL.parse ? URL.parse(given) : parse(given);
  if (address === null || !/^https?:$/u.test(address.protocol)) {
    return { problem: phrase('invitation.no-link', { text: short(given) }) };
  }
  const token = address.searchParams.get('token') ?? '';
  if (!CODE.test(token)) return { problem: phrase('invitation.no-token') };
  if (address.host !== new URL(home).host) return { problem: phrase('invitation.other-event', { host: address.host }) };
  const [path] = /\/c\/[^/]+$/u.exec(address.pathname) ?? [null];
  return { token, path };
}

// URL.parse is new in 2024.
function parse(text) {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function short(text) {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

// Loads the page of the invitation, or this one again, with another token, which all of its requests then have.
function enter({ token, path }, home) {
  const address = path === null ? new URL(location.href) : new URL(inLanguage(`.${path}`), home);
  address.searchParams.set('token', token);
  location.assign(address);
}

export class Invitation {
  #find;
  #root;

  constructor(document, home) {
    this.#find = (selector) => document.querySelector(selector);
    this.#root = document.documentElement;
    this.#find('#invitation').addEventListener('submit', (event) => {
      event.preventDefault();
      const invitation = readInvitation(this.#find('#invitation-code').value, home);
      this.#tell(invitation.problem ?? '');
      if (invitation.problem === undefined) enter(invitation, home);
      else this.#find('#invitation-code').focus();
    });
  }

  // `problem`: why the page's token is rejected, or '' if the page has none.
  ask(problem) {
    this.#root.toggleAttribute('data-uninvited', true);
    this.#find('#invitation').hidden = false;
    this.#tell(problem && phrase('invitation.rejected', { message: problem }));
    this.#find('#invitation-code').focus();
  }

  #tell(problem) {
    this.#find('#invitation-problem').textContent = problem;
    this.#find('#invitation-code').toggleAttribute('aria-invalid', problem !== '');
  }
}
