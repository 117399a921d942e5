// A daemon of the build tree as a process of its own, on a free port, with the page from web/. No silence ends a
// sentence, however slow the machine is.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { once } from 'node:events';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const build = process.env.SURTITLE_BUILD ?? join(root, 'build');

const READY = 'surtitled ready on ';

// Each daemon's own, unless another goes on with it.
const fresh = () => join(mkdtempSync(join(tmpdir(), 'surtitle-test-')), 'journal.sqlite');

// A test that fails before it stops its daemon still ends, and leaves none behind.
const started = [];
process.on('exit', () => {
  for (const daemon of started) daemon.kill('SIGKILL');
});

export class Daemon {
  #process;

  // The daemon on a scripted translator: its translation is the source in capitals, the moment it may be written.
  static scripted({ flags = [], port = 0, models = 'scripted', journal = fresh() } = {}) {
    return Daemon.#start('surtitled_scripted', ['--models', models, ...flags], port, journal);
  }

  // The daemon with the models that Surtitle is shipped with.
  static real() {
    return Daemon.#start('surtitled', [], 0, fresh());
  }

  static realIsThere() {
    const models = join(root, 'model/pretrained');
    return (
      existsSync(join(build, 'surtitled')) &&
      readdirSync(models).some((model) => existsSync(join(models, model, 'model.yaml')))
    );
  }

  static async #start(program, flags, port, journal) {
    const daemon = new Daemon();
    daemon.journal = journal;
    const all = ['--port', `${port}`, '--web', join(root, 'web'), '--log-level', 'warning'];
    all.push('--sentence-silence', '0', '--journal-path', journal, ...flags);
    // The machine may be busy with other tests: nobody is overloaded.
    if (!flags.includes('--admission-max-delay-p95')) all.push('--admission-max-delay-p95', '0');
    daemon.#process = spawn(join(build, program), all, { stdio: ['ignore', 'pipe', 'inherit'] });
    daemon.#process.unref();
    started.push(daemon.#process);
    for await (const line of createInterface({ input: daemon.#process.stdout })) {
      if (line.startsWith(READY)) {
        daemon.#process.stdout.unref();
        daemon.url = line.slice(READY.length);
        daemon.port = Number(new URL(daemon.url).port);
        return daemon;
      }
    }
    throw new Error(`${program} ended before it was ready`);
  }

  // Ends it as an operator does, or as a power cut does; returns the exit code.
  async stop(signal = 'SIGTERM') {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return exitCode;
    this.#process.ref();
    this.#process.kill(signal);
    const [code] = await once(this.#process, 'exit');
    return code;
  }
}
