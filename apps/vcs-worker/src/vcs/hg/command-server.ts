import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { killGroup, limitOpenPipes, spawnGroup } from '../process/process-group.ts';
import { watchWrites } from '../process/process-usage.ts';
import { killedBy } from '../process/tool-failure.ts';
import { VcsError } from '../vcs-error.ts';
import { encodeCommand, FrameReader, noInput } from './frames.ts';

export interface HgResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface HgRunOptions {
  readonly timeoutMs: number;
  readonly stdoutBytesMax: number;
  readonly signal?: AbortSignal | undefined;
  /** How long a cancelled command may take to end by itself, which keeps its server; 0 when absent. */
  readonly cancelGraceMs?: number;
  /** Limit of the bytes that the server and its children have written since the server's start. */
  readonly writtenBytesMax?: number;
  /** Receives stderr as it arrives. */
  readonly onStderr?: ((text: string) => void) | undefined;
  /** Receives stdout as it arrives; `stdout` of the result then stays empty. An error it throws kills the server. */
  readonly onStdout?: ((data: Buffer) => void) | undefined;
}

interface Running {
  readonly chunks: Buffer[];
  bytes: number;
  stderr: string;
  readonly onStderr: HgRunOptions['onStderr'];
  readonly onStdout: HgRunOptions['onStdout'];
  resolve(exitCode: number): void;
  fail(error: VcsError): void;
}

const stderrCharsMax = 4_000;

/**
 * One process `hg serve --cmdserver pipe`, which runs one command at a time. A timeout, a cancellation, a reached limit
 * or a broken protocol kills the process, and the server stays `dead`; a non-zero exit code does not.
 */
export class CommandServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #frames = new FrameReader();
  readonly #greeted: Promise<void>;
  #greet: () => void = () => {};
  #isGreeting = true;
  #running: Running | undefined;
  #stdoutBytesMax = 0;
  /** Resolves when the process has exited and its pipes are closed. */
  readonly ended: Promise<void>;
  dead = false;
  commands = 0;

  constructor(command: readonly string[], env: NodeJS.ProcessEnv) {
    this.#greeted = new Promise((resolve) => (this.#greet = resolve));
    this.#child = spawnGroup(command, {
      env,
      stop: (error) => this.kill(error),
      isIdle: () => this.#running === undefined,
    });
    this.#child.on('error', () => this.kill());
    this.#child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#child.stderr.resume();
    // A process that no longer reads has ended: what follows says whether somebody else has killed it.
    this.#child.stdin.on('error', () => {});
    limitOpenPipes(this.#child, () => this.kill());
    this.ended = new Promise((resolve) => this.#child.on('close', () => resolve()));
    this.#child.on('close', (_code, signal) => this.kill(killedBy(signal) ?? undefined));
  }

  async run(args: readonly string[], options: HgRunOptions): Promise<HgResult> {
    const { signal, timeoutMs, writtenBytesMax = Infinity, cancelGraceMs = 0 } = options;
    const request = encodeCommand(args);
    this.commands += 1;
    this.#stdoutBytesMax = options.stdoutBytesMax;
    const timer = setTimeout(() => this.kill(new VcsError('timeout', `no end after ${timeoutMs} ms`)), timeoutMs);
    const cancel = () => this.kill(new VcsError('cancelled', 'cancelled', { cause: signal?.reason }));
    let grace: NodeJS.Timeout | undefined;
    const abort = () => {
      if (cancelGraceMs > 0) grace = setTimeout(cancel, cancelGraceMs);
      else cancel();
    };
    signal?.addEventListener('abort', abort, { once: true });
    const exceeded = () => this.kill(new VcsError('too-large', `more than ${writtenBytesMax} bytes written`));
    const unwatch = watchWrites(this.#child.pid, writtenBytesMax, exceeded);
    try {
      return await new Promise<HgResult>((resolve, reject) => {
        const running: Running = {
          chunks: [],
          bytes: 0,
          stderr: '',
          onStderr: options.onStderr,
          onStdout: options.onStdout,
          resolve: (exitCode) =>
            resolve({ exitCode, stdout: Buffer.concat(running.chunks, running.bytes), stderr: running.stderr }),
          fail: reject,
        };
        this.#running = running;
        if (signal?.aborted) return cancel();
        if (this.dead) return reject(new VcsError('failed', 'the command server has stopped'));
        void this.#greeted.then(() => this.#child.stdin.write(request));
      });
    } finally {
      clearTimeout(timer);
      clearTimeout(grace);
      unwatch();
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Whether the process has sent the greeting of the protocol. */
  get hasStarted(): boolean {
    return !this.#isGreeting;
  }

  /** Returns the resident memory in bytes; 0 where the system has no /proc. */
  async memoryBytes(): Promise<number> {
    const statm = await readFile(`/proc/${this.#child.pid}/statm`, 'utf8').catch(() => '0 0');
    return Number(statm.split(' ')[1]) * 4_096;
  }

  kill(error = new VcsError('failed', 'the command server ended')): void {
    this.dead = true;
    killGroup(this.#child);
    const running = this.#running;
    this.#running = undefined;
    running?.fail(error);
  }

  #receive(chunk: Buffer): void {
    try {
      for (const { channel, data } of this.#frames.push(chunk)) {
        if (data === null) this.#child.stdin.write(noInput);
        else if (channel === 'e') this.#onStderrData(data);
        else if (channel === 'o') this.#onStdoutData(data);
        else if (channel === 'r') this.#exited(data.readInt32BE(0));
      }
    } catch (cause) {
      this.kill(new VcsError('failed', 'the command server violated its protocol', { cause }));
    }
  }

  #onStderrData(data: Buffer): void {
    if (!this.#running) return;
    const text = data.toString('utf8');
    this.#running.stderr = (this.#running.stderr + text).slice(-stderrCharsMax);
    this.#running.onStderr?.(text);
  }

  #onStdoutData(data: Buffer): void {
    if (this.#isGreeting) {
      this.#isGreeting = false;
      this.#greet();
      return;
    }
    if (!this.#running) return;
    if (this.#running.onStdout) return this.#handOver(data, this.#running.onStdout);
    this.#running.bytes += data.length;
    this.#running.chunks.push(Buffer.from(data));
    if (this.#running.bytes > this.#stdoutBytesMax) {
      this.kill(new VcsError('too-large', `more than ${this.#stdoutBytesMax} bytes of output`));
    }
  }

  #handOver(data: Buffer, take: (data: Buffer) => void): void {
    try {
      take(data);
    } catch (error) {
      this.kill(
        error instanceof VcsError ? error : new VcsError('failed', 'output could not be passed on', { cause: error }),
      );
    }
  }

  #exited(exitCode: number): void {
    const running = this.#running;
    this.#running = undefined;
    running?.resolve(exitCode);
  }
}
