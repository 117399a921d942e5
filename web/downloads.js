// Saves the translation that the page has received as a file. The file is made in the browser.

import { phrase } from './strings.js';

const KINDS = {
  txt: { type: 'text/plain', make: (record) => record.toText() },
  vtt: { type: 'text/vtt', make: (record) => record.toWebVtt() },
};

// `name`: of the channel, for the file's name. The buttons have `data-download`, one of KINDS.
export function offerDownloads(document, record, name) {
  const problem = document.querySelector('#download-problem');
  for (const button of document.querySelectorAll('[data-download]')) {
    button.addEventListener('click', () => {
      problem.textContent = record.isEmpty ? phrase('viewer.nothing-to-download') : '';
      if (!record.isEmpty) save(document, `${name}.${button.dataset.download}`, button.dataset.download, record);
    });
  }
}

function save(document, file, kind, record) {
  const { type, make } = KINDS[kind];
  const address = URL.createObjectURL(new Blob([make(record)], { type: `${type}; charset=utf-8` }));
  const link = Object.assign(document.createElement('a'), { href: address, download: file });
  link.click();
  // The browser has begun to read the file once this task has ended.
  setTimeout(() => URL.revokeObjectURL(address));
}
