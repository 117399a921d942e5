// Programs that are run to their end.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

// What the program printed, both of its outputs; an error with all of it where it failed.
export async function run(program, args, options = {}) {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { maxBuffer: 1 << 26, ...options });
    return stdout + stderr;
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`${program} is not installed; deploy/install.sh --tests does`);
    throw new Error(`${program} ${args.join(' ')}: ${error.stdout ?? ''}${error.stderr ?? error.message}`);
  }
}
