import { VcsError } from '../vcs-error.ts';
import { killGroup, spawnGroup } from './process-group.ts';
import { watchWrites } from './watch-writes.ts';

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly stdoutBytesMax: number;
  /** By it and what it starts. */
  readonly writtenBytesMax?: number;
  readonly signal?: AbortSignal;
  /** What it reads; nothing when absent. */
  readonly input?: string;
  /** Told through descriptor 3 to whoever asks there. */
  readonly secret?: string | undefined;
  /** Receives stderr as it arrives. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** The end of what it said, for the log. */
  readonly stderr: string;
}

const stderrCharsMax = 4_000;

/**
 * Runs one command to its end. Time, output and cancellation are bounded: past a bound its whole process group
 * is killed and VcsError thrown. A non-zero exit code is the caller's to judge.
 */
export async function runCommand(command: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { env, timeoutMs, stdoutBytesMax, writtenBytesMax = Infinity, signal, input = '' } = options;
  if (signal?.aborted) throw new VcsError('cancelled', 'cancelled before it began', { cause: signal.reason });
  const child = spawnGroup(command, env, options.secret);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let stderr = '';
  let failure: VcsError | undefined;
  const stop = (error: VcsError) => {
    failure ??= error;
    killGroup(child);
  };
  const timer = setTimeout(() => stop(new VcsError('timeout', `no end after ${timeoutMs} ms`)), timeoutMs);
  const cancel = () => stop(new VcsError('cancelled', 'cancelled', { cause: signal?.reason }));
  signal?.addEventListener('abort', cancel, { once: true });
  const exceeded = () => stop(new VcsError('too-large', `more than ${writtenBytesMax} bytes written`));
  const unwatch = watchWrites(child.pid, writtenBytesMax, exceeded);
  child.stdin.on('error', () => {}).end(input);
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > stdoutBytesMax) stop(new VcsError('too-large', `more than ${stdoutBytesMax} bytes of output`));
    else chunks.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    const text = chunk.toString('utf8');
    stderr = (stderr + text).slice(-stderrCharsMax);
    options.onStderr?.(text);
  });
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.on('error', (error) => reject(new VcsError('failed', 'the command did not start', { cause: error })));
      child.on('close', (code) => resolve(code ?? -1));
    });
    if (failure) throw failure;
    return { exitCode, stdout: Buffer.concat(chunks, bytes), stderr };
  } finally {
    clearTimeout(timer);
    unwatch();
    signal?.removeEventListener('abort', cancel);
  }
}
