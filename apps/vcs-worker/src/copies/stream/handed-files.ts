import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rawFiles } from './raw-files.ts';
import { handedFileBytes } from './frames.ts';
import { dieWithParentCommand } from '../../vcs/process/command-limits.ts';

/** Large files that are copied within a process: their sender hands them over open, in the order of their headers. */
export class HandedFiles {
  readonly #files: number[] = [];
  /** Is told of bytes that have been copied. */
  report: (bytes: number) => void = () => {};

  /** Takes over an open file whose header is sent without its content; returns false for a file that is too small. */
  hand(file: number, size: number): boolean {
    if (size < handedFileBytes) return false;
    this.#files.push(file);
    return true;
  }

  /** Returns the file whose header has come, which the caller closes; undefined when its content follows. */
  take(size: number): number | undefined {
    return size < handedFileBytes ? undefined : this.#files.shift();
  }

  /** Closes the files that were not taken. */
  close(): void {
    for (const file of this.#files.splice(0)) rawFiles.close(file).catch(() => {});
  }
}

const memoryBytes = 256 * 1024 * 1024;
const lookEveryMs = 200;
const stderrCharsMax = 1_000;
const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };

export interface ChildCopy {
  /** Descriptors, both at their beginning. */
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly signal: AbortSignal;
  /** Is told of bytes that have been copied; the copy ends with its error. */
  readonly copied: (bytes: number) => Promise<void>;
}

function failureOf(stderr: string): Error {
  const error = new Error(`cat failed: ${stderr.trim()}`);
  return /no space left|quota exceeded/i.test(stderr) ? Object.assign(error, { code: 'ENOSPC' }) : error;
}

/** Runs a function every `lookEveryMs`, one run at a time; returns a function that ends that, after the present run. */
function repeatedly(run: () => Promise<void>, fail: (error: unknown) => void): () => Promise<void> {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= run()
      .catch(fail)
      .finally(() => (running = null));
  }, lookEveryMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/**
 * Copies the content of a file by a child: `cat` has the kernel copy from file to file, or share the blocks where the file
 * system can, and no byte passes this process. It cuts off bytes that the file has gained since, and fills lost ones
 * with zeros. The child ends with this process, with the signal and with an error of `copied`.
 */
export async function copyByChild({ from, to, size, signal, copied }: ChildCopy): Promise<void> {
  signal.throwIfAborted();
  const [program = '', ...args] = dieWithParentCommand(['cat'], { memoryBytes });
  const child = spawn(program, args, { env, cwd: '/', stdio: [from, to, 'pipe'] });
  let stderr = '';
  child.stderr?.on('data', (text: Buffer) => (stderr = (stderr + text.toString()).slice(-stderrCharsMax)));
  let failure: { readonly error: unknown } | undefined;
  const end = (error: unknown) => {
    failure ??= { error };
    child.kill('SIGKILL');
  };
  const abort = () => end(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let counted = 0;
  const look = async () => {
    const found = (await rawFiles.fstat(to)).size;
    const bytes = Math.min(found, size) - counted;
    counted += bytes;
    await copied(bytes);
    // A file that grows faster than it is copied would never end.
    if (found > size) child.kill('SIGKILL');
  };
  const stopLooking = repeatedly(look, end);
  try {
    const [code] = await once(child, 'close');
    await stopLooking();
    if (failure) throw failure.error;
    await look();
    if (code !== 0 && counted < size) throw failureOf(stderr);
    await rawFiles.truncate(to, size);
  } finally {
    await stopLooking();
    signal.removeEventListener('abort', abort);
  }
}
