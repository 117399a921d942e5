// node test_files.mjs FILE...: runs test files like `node --test`, one on each processor, each with a time limit.
//
// A hanging file fails with its output so far, and the others still run. The exit code is 1 if any test failed.

import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

// Far above the time of any file.
const SECONDS_OF_A_FILE = 600;

const results = run({ files: process.argv.slice(2), concurrency: availableParallelism(), timeout: SECONDS_OF_A_FILE * 1000 });
results.on('test:fail', ({ todo }) => {
  if (todo === undefined) process.exitCode = 1;
});
// Exits explicitly: a hanging file may have left a process that keeps our output open.
results.compose(new spec()).on('end', () => setImmediate(() => process.exit())).pipe(process.stdout);
