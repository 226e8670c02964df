import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { withTimeout } from '@trunkline/runtime/concurrency';
import { hasCode } from '../../../has-code.ts';
import { childEnvironment } from '../../process/child-environment.ts';
import { dieWithParentCommand, type CommandLimits } from '../../process/command-limits.ts';
import { killGroup, limitOpenPipes, spawnGroup } from '../../process/process-group.ts';
import { processMemory } from '../../process/process-usage.ts';
import { VcsError } from '../../vcs-error.ts';
import { hgArgv } from '../hg-argv.ts';

export interface ForkServerOptions {
  readonly hgCommand: readonly string[];
  /** Path of the extension that answers clients. */
  readonly extension: string;
  readonly limits: CommandLimits;
  /** How long Mercurial may take to start. */
  readonly startMsMax: number;
}

/** What the server announces, and how it answers. */
const settings = {
  'phases.publish': 'True',
  // Only bundles of the second kind: those of the first have no phases.
  'server.bundle1': 'False',
  // A copy of the store would be made under its lock, and has changesets that are secret.
  'server.uncompressed': 'False',
  'server.bundle2.stream': 'False',
  'server.validate': 'True',
  'server.zstdlevel': '1',
  'server.maxhttpheaderlen': '1024',
};

const stderrCharsMax = 4_000;

/** No child has seen the request, which may be sent to another server. */
export class NoChildError extends VcsError {
  constructor(cause: unknown) {
    super('busy', 'no child was forked', { cause });
  }
}

/** A process that has loaded Mercurial, and forks a child for each connection. */
export class ForkServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #path: string;
  /** Resolves when connections are accepted; rejects when Mercurial does not start. */
  readonly ready: Promise<void>;
  #stderr = '';
  #open = 0;
  #failure: VcsError | null = null;
  #isRetired = false;
  readonly #exited: Promise<void>;
  /** Connections so far. */
  forks = 0;
  hasStarted = false;
  dead = false;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;

  constructor({ hgCommand, extension, limits, startMsMax }: ForkServerOptions, path: string) {
    this.#path = path;
    const configs = Object.entries(settings).map(([name, value]) => `--config=${name}=${value}`);
    const load = `--config=extensions.trunkline_serve=${extension}`;
    const argv = [...hgArgv(hgCommand), load, ...configs, 'trunkline-serve', path];
    this.#child = spawnGroup(dieWithParentCommand(argv, limits), {
      env: childEnvironment(),
      stop: (error) => this.kill(error),
      isIdle: () => this.hasStarted && this.#open === 0,
      // Otherwise its children count what they share with it: stopping it would end them all.
      measure: (pid) => (this.#open === 0 ? processMemory(pid) : 0),
    });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-stderrCharsMax);
    });
    this.ended = new Promise((resolve) => this.#child.on('close', () => resolve()));
    this.#exited = new Promise((resolve) => {
      this.#child.on('exit', () => {
        this.kill();
        resolve();
      });
    });
    limitOpenPipes(this.#child, () => this.kill());
    this.ready = this.#start(startMsMax);
    this.ready.catch(() => {});
  }

  /** The part of the shared memory that each of its children counts, in bytes. */
  get shareOfChild(): number {
    return this.sharedBytes / Math.max(this.#open, 1);
  }

  /** The memory that children share with this process until either writes to it. */
  get sharedBytes(): number {
    return this.#child.pid === undefined ? 0 : processMemory(this.#child.pid);
  }

  /** Opens a connection, for which the server forks a child. Throws NoChildError when it cannot. */
  async connect(): Promise<Socket> {
    await this.ready.catch((cause: unknown) => {
      throw new VcsError('timeout', 'the fork server does not start', { cause });
    });
    this.forks += 1;
    this.#open += 1;
    const socket = createConnection(this.#path);
    socket.on('error', () => {}).once('close', () => (this.#open -= 1));
    await once(socket, 'connect').catch((cause: unknown) => {
      // A full queue of connections is the only other reason, beside that none is accepted any more.
      if (!hasCode(cause, 'EAGAIN') && !this.#isRetired) this.kill();
      throw new NoChildError(cause);
    });
    return socket;
  }

  /** Accepts no further connection; the process ends after those that are open. */
  retire(): void {
    this.#isRetired = true;
    this.#child.stdin.end();
  }

  /** Returns why the process has ended, and its children with it, when it ends within this time; otherwise null. */
  async lossWithin(ms: number): Promise<VcsError | null> {
    if (!this.dead) await withTimeout(this.#exited, ms, () => undefined);
    return this.dead ? (this.#failure ?? new VcsError('busy', 'the fork server was lost')) : null;
  }

  kill(error: VcsError | null = null): void {
    this.dead = true;
    this.#failure ??= error;
    killGroup(this.#child);
  }

  async #start(startMsMax: number): Promise<void> {
    const late = setTimeout(() => this.kill(new VcsError('timeout', `no start after ${startMsMax} ms`)), startMsMax);
    try {
      // The only output: that the server listens.
      await Promise.race([once(this.#child.stdout, 'data'), this.ended]);
      this.#child.stdout.resume();
      if (this.dead) throw this.#failure ?? new VcsError('failed', `the fork server has ended: ${this.#stderr}`);
      this.hasStarted = true;
    } finally {
      clearTimeout(late);
    }
  }
}
