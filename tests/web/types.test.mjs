// The types of the client module: TypeScript accepts right programs and refuses wrong ones, and messages have the fields of
// the protocol.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as client from '../../web/surtitle.js';
import { root } from './support/daemon.mjs';

const types = readFileSync(join(root, 'web/surtitle.d.ts'), 'utf8');
const protocol = readFileSync(join(root, 'daemon/protocol/surtitle.v1.asyncapi.yaml'), 'utf8');

test('a program that uses the module compiles, except for its marked errors', () => {
  const compiler = join(root, 'tests/web/node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '--project', join(root, 'tests/web/types')], { encoding: 'utf8' });
  assert.equal(stdout, '');
  assert.equal(status, 0);
});

test('the types name what the module exports', () => {
  const named = [...types.matchAll(/^export (?:class|function) (\w+)/gmu)].map(([, name]) => name);
  assert.deepEqual(named.sort(), Object.keys(client).sort());
});

// Returns the lines of `text` below `head` that are indented more than it.
function block(text, head) {
  const lines = text.split('\n');
  const at = lines.indexOf(head);
  assert.ok(at >= 0, head);
  const indent = head.search(/\S/u);
  const length = lines.slice(at + 1).findIndex((line) => line !== '' && line.search(/\S/u) <= indent);
  return lines.slice(at + 1, length < 0 ? undefined : at + 1 + length).join('\n');
}

// Returns the schemas of the messages that the daemon sends, by their types.
function messagesOf() {
  const sent = [...block(protocol, '  sendToSender:').matchAll(/messages\/(\w+)/gu),
    ...block(protocol, '  sendToViewer:').matchAll(/messages\/(\w+)/gu)].map(([, name]) => name);
  return new Map([...new Set(sent)].map((schema) => [schema === 'source_words' ? 'source' : schema, schema]));
}

// Returns the fields of a schema, with a question mark if they may be absent.
function fieldsOf(schema) {
  const text = block(block(protocol, '  schemas:'), `    ${schema}:`);
  const required = /required: \[([^\]]*)\]/u.exec(text)[1].split(/,\s*/u);
  const fields = [...block(text, '      properties:').matchAll(/^ {8}(\w+):/gmu)].map(([, name]) => name);
  return fields.map((name) => name + (required.includes(name) ? '' : '?')).sort();
}

const typeOf = (name) =>
  [...block(types, `export interface ${name} {`).matchAll(/^ {2}(\w+\??):/gmu)].map(([, field]) => field).sort();

test('the types have all messages of the daemon, with all of their fields', () => {
  const messages = messagesOf();
  const names = new Map([...block(types, 'export interface ServerMessages {').matchAll(/(\w+): (\w+);/gu)].map(([, type, name]) => [type, name]));
  assert.deepEqual([...names.keys()].sort(), [...messages.keys()].sort());
  for (const [type, schema] of messages) assert.deepEqual(typeOf(names.get(type)), fieldsOf(schema), type);
  for (const [name, schema] of [['Limits', 'limits'], ['Scores', 'scores']]) assert.deepEqual(typeOf(name), fieldsOf(schema));
});
