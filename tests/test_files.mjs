// node test_files.mjs FILE...: runs files of tests one after the other, as `node --test` does, each for so long at most.
// A file that hangs fails, with what it has shown until then, and the others still run. Ends with 1 where anything failed.

import { run } from 'node:test';
import { spec } from 'node:test/reporters';

// Far above what any takes.
const SECONDS_OF_A_FILE = 600;

const results = run({ files: process.argv.slice(2), concurrency: 1, timeout: SECONDS_OF_A_FILE * 1000 });
results.on('test:fail', ({ todo }) => {
  if (todo === undefined) process.exitCode = 1;
});
// Not with the last process that has our output open: a file that hung may have left one.
results.compose(new spec()).on('end', () => setImmediate(() => process.exit())).pipe(process.stdout);
