// Runs programs to their end.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

// Returns the program's stdout and stderr. If it fails, throws an error that contains both.
export async function run(program, args, options = {}) {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { maxBuffer: 1 << 26, ...options });
    return stdout + stderr;
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`${program} is not installed; run deploy/install.sh --tests`);
    throw new Error(`${program} ${args.join(' ')}: ${error.stdout ?? ''}${error.stderr ?? error.message}`);
  }
}
