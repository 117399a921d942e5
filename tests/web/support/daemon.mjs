// A daemon of the build tree as a process on a free port, with the pages of web/.
//
// Silence ends no sentence, so that a slow machine does not change a test.

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

// Returns the path of a new journal.
const fresh = () => join(mkdtempSync(join(tmpdir(), 'surtitle-test-')), 'journal.sqlite');

// Kills the daemons of tests that failed before they stopped them.
const started = [];
process.on('exit', () => {
  for (const daemon of started) daemon.kill('SIGKILL');
});

export class Daemon {
  #process;

  // Starts the daemon on a scripted translator, whose translation is the source in capitals, as early as the policy
  // allows.
  static scripted({ flags = [], port = 0, models = 'scripted', journal = fresh() } = {}) {
    return Daemon.#start('surtitled_scripted', ['--models', models, ...flags], port, journal);
  }

  // Starts the daemon with the shipped models.
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
    // The machine may be busy with other tests; admission control must reject no stream for that.
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

  // Ends the daemon, with SIGTERM like an operator or with SIGKILL like a power cut. Returns the exit code.
  async stop(signal = 'SIGTERM') {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return exitCode;
    this.#process.ref();
    this.#process.kill(signal);
    const [code] = await once(this.#process, 'exit');
    return code;
  }
}
