import { nameBytes } from '@trunkline/runtime/text';
import { killGroup, startGroup, type GroupChild } from '../process/process-group.ts';
import { killedBy } from '../process/tool-failure.ts';
import { VcsError } from '../vcs-error.ts';

export interface GitObjectInfo {
  readonly id: string;
  readonly type: string;
  readonly size: number;
}

export interface GitObject extends GitObjectInfo {
  /** Empty in mode `--batch-check`. */
  readonly content: Buffer;
}

interface Waiting {
  /** Whether nobody waits for the answer any more; it is still read, since answers come in order. */
  isAbandoned: boolean;
  resolve(object: GitObject | null): void;
  reject(error: VcsError): void;
}

/** Size of the largest object that is read as a whole. */
export const contentBytesMax = 16 * 1024 * 1024;

function cancelled(signal: AbortSignal | undefined): VcsError {
  return new VcsError('cancelled', 'cancelled', { cause: signal?.reason });
}

/** Mode of `git cat-file`: `--batch` prints each object's id, type, size and content, `--batch-check` no content. */
export type CatFileMode = '--batch' | '--batch-check';

/** One `git cat-file` process. Requests are answered in the order in which they are written to its stdin. */
export class CatFile {
  #child: GroupChild | undefined;
  /** Requests from before the process has started. */
  #unsent: Buffer[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #mode: CatFileMode;
  readonly #timeoutMs: number;
  #buffered: Buffer[] = [];
  #bytes = 0;
  #wanted = 0;
  #retired = false;
  /** Whether the process was killed or has ended by itself; `ask` would then never settle. */
  ended = false;

  constructor(command: readonly string[], mode: CatFileMode, env: NodeJS.ProcessEnv, timeoutMs: number) {
    this.#mode = mode;
    this.#timeoutMs = timeoutMs;
    startGroup(command, { env, stop: (error) => this.#end(error), isIdle: () => this.#waiting.length === 0 }).then(
      (child) => this.#begin(child),
      (cause: unknown) =>
        this.#end(cause instanceof VcsError ? cause : new VcsError('failed', 'git cat-file did not start', { cause })),
    );
  }

  #begin(child: GroupChild): void {
    const end = () => this.#end(new VcsError('failed', 'git cat-file ended'));
    const close = (_code: number | null, signal: string | null) => {
      this.#end(killedBy(signal) ?? new VcsError('failed', 'git cat-file ended'));
    };
    this.#child = child;
    child.on('error', end);
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.stderr.resume();
    // A process that no longer reads has ended: what follows says whether somebody else has killed it.
    child.stdin.on('error', () => {});
    child.on('close', close);
    if (this.ended) killGroup(child);
    else child.stdin.write(Buffer.concat(this.#unsent));
  }

  /** Returns an object. When the signals of all waiting requests have aborted, the process is killed. */
  async ask(expression: string, signal?: AbortSignal): Promise<GitObject | null> {
    if (signal?.aborted) throw cancelled(signal);
    // One request is one line, of which git drops a carriage return at the end.
    if (/[\r\n\0]/.test(expression)) throw new VcsError('failed', 'the end of a line in a request to git cat-file');
    const request = nameBytes(`${expression}\n`);
    const late = () => this.#end(new VcsError('timeout', `no answer after ${this.#timeoutMs} ms`));
    const timer = setTimeout(late, this.#timeoutMs);
    let abandon = () => {};
    try {
      return await new Promise((resolve, reject) => {
        const waiting: Waiting = { isAbandoned: false, resolve, reject };
        abandon = () => {
          waiting.isAbandoned = true;
          reject(cancelled(signal));
          if (this.#waiting.every(({ isAbandoned }) => isAbandoned)) this.#end(cancelled(signal));
        };
        signal?.addEventListener('abort', abandon, { once: true });
        this.#waiting.push(waiting);
        if (this.#child) this.#child.stdin.write(request);
        else this.#unsent.push(request);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abandon);
    }
  }

  /** Kills the process as soon as no request is waiting for its answer. */
  retire(): void {
    this.#retired = true;
    this.#endIfUnused();
  }

  #endIfUnused(): void {
    if (this.#retired && this.#waiting.length === 0) this.#end(new VcsError('failed', 'git cat-file was stopped'));
  }

  #end(error: VcsError): void {
    if (this.ended) return;
    this.ended = true;
    if (this.#child) killGroup(this.#child);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #answer(object: GitObject | null): void {
    this.#waiting.shift()?.resolve(object);
    this.#endIfUnused();
  }

  #receive(chunk: Buffer): void {
    this.#buffered.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#wanted) return;
    let rest: Buffer = Buffer.concat(this.#buffered, this.#bytes);
    for (let used = this.#settleOldest(rest); used > 0; used = this.#settleOldest(rest)) rest = rest.subarray(used);
    this.#buffered = [rest];
    this.#bytes = rest.length;
  }

  /** Settles the oldest request if its whole answer is in `data`. Returns the number of bytes used, 0 if it is not. */
  #settleOldest(data: Buffer): number {
    const lineEnd = data.indexOf(0x0a);
    if (lineEnd < 0) return 0;
    const [id = '', type = '', digits = ''] = data.toString('utf8', 0, lineEnd).split(' ');
    const size = Number(digits);
    const found = /^\d+$/.test(digits) && /^[0-9a-f]{40}$/.test(id);
    if (!found || this.#mode === '--batch-check') {
      this.#answer(found ? { id, type, size, content: Buffer.alloc(0) } : null);
      return lineEnd + 1;
    }
    const end = lineEnd + 1 + size;
    this.#wanted = end + 1;
    if (size > contentBytesMax) {
      this.#end(new VcsError('too-large', `object of ${size} bytes is too large`));
      return 0;
    }
    if (data.length < this.#wanted) return 0;
    this.#wanted = 0;
    this.#answer({ id, type, size, content: Buffer.from(data.subarray(lineEnd + 1, end)) });
    return end + 1;
  }
}
