import { VcsError } from '../vcs-error.ts';
import { scopeOfOperation } from './call-scope.ts';
import { memoryBudget } from './memory-budget.ts';
import { killGroup, limitOpenPipes, startGroup } from './process-group.ts';
import { watchWrites } from './process-usage.ts';
import { killedBy } from './tool-failure.ts';

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly stdoutBytesMax: number;
  /** Limit of the bytes that the command and its children write, in files and pipes. */
  readonly writtenBytesMax?: number;
  readonly signal?: AbortSignal | undefined;
  /** How long the command may wait for memory before it starts; as long as those of operations when absent. */
  readonly memoryWaitMs?: number | null;
  /** Text or bytes for stdin; stdin is empty when absent. */
  readonly input?: string | Buffer;
  /** Text that is sent through file descriptor 3 when the command or a child asks for it there. */
  readonly secret?: string | undefined;
  /** Receives stderr as it arrives. */
  readonly onStderr?: ((text: string) => void) | undefined;
  /** How long descendants may hold the pipes after the command's exit. */
  readonly openPipesMsMax?: number;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** The last 4,000 characters of stderr, for the log. */
  readonly stderr: string;
}

interface Ending {
  readonly code: number;
  readonly killed: VcsError | null;
}

const stderrCharsMax = 4_000;

/**
 * Runs one command until it exits. On timeout, cancellation or too much output its whole process group is killed and
 * VcsError thrown, `busy` when there is no memory for it or somebody else has killed it. A non-zero exit code is no error:
 * it is returned, -1 after a crash.
 */
export async function runCommand(command: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { env, timeoutMs, stdoutBytesMax, writtenBytesMax = Infinity, signal, input = '' } = options;
  const { memoryWaitMs = scopeOfOperation.memoryWaitMs } = options;
  await memoryBudget.waitForMemory(memoryWaitMs, signal);
  const child = await startGroup(command, {
    env,
    secret: options.secret,
    startsAnyway: memoryWaitMs === null,
    stop: (error) => stop(error),
    ...(signal && { signal }),
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  let stderr = '';
  let failure: VcsError | undefined;
  const stop = (error: VcsError) => {
    failure ??= error;
    killGroup(child);
  };
  const held = () => stop(new VcsError('failed', 'a descendant holds the pipes of a command that has exited'));
  limitOpenPipes(child, held, options.openPipesMsMax);
  const timer = setTimeout(() => stop(new VcsError('timeout', `no end after ${timeoutMs} ms`)), timeoutMs);
  const cancel = () => stop(new VcsError('cancelled', 'cancelled', { cause: signal?.reason }));
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
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
    const { code, killed } = await new Promise<Ending>((resolve, reject) => {
      child.on('error', (error) => reject(new VcsError('failed', 'the command did not start', { cause: error })));
      child.on('close', (exitCode, signalCode) => resolve({ code: exitCode ?? -1, killed: killedBy(signalCode) }));
    });
    const error = failure ?? killed;
    if (error) throw error;
    return { exitCode: code, stdout: Buffer.concat(chunks, bytes), stderr };
  } finally {
    clearTimeout(timer);
    unwatch();
    signal?.removeEventListener('abort', cancel);
  }
}
