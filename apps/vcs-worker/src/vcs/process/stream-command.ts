import { pipeline, Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { VcsError } from '../vcs-error.ts';
import { endableStream } from './endable-stream.ts';
import { scopeOfOperation } from './call-scope.ts';
import { memoryBudget } from './memory-budget.ts';
import { killGroup, startGroup, type GroupChild } from './process-group.ts';
import { killedBy, toolFailure } from './tool-failure.ts';

export interface StreamOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Timeout for the next output while the reader waits, in milliseconds. */
  readonly timeoutMs: number;
  /** Text or stream for stdin; stdin is empty when absent. */
  readonly input?: string | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
  /** How long the command may wait for memory before it starts; as long as those of operations when absent. */
  readonly memoryWaitMs?: number | null;
}

type Stop = (error: unknown) => void;

const stderrCharsMax = 4_000;
/** Output after which a command is taken for one with much of it. */
const muchBytes = 64 * 1024;
/** Time in which a command with much output fills its pipe, in milliseconds. */
const fillMs = 1;

/**
 * Streams the stdout of a command at the reader's pace. The command starts when reading begins; when reading stops, its
 * whole process group is killed. A non-zero exit code is VcsError `failed`, thrown after the last byte of stdout, and the
 * end by somebody else `busy`.
 */
export function streamCommand(command: readonly string[], options: StreamOptions): AsyncIterable<Uint8Array> {
  return endableStream((signal) => run(command, options, signal), options.signal);
}

async function* run(
  command: readonly string[],
  { env, timeoutMs, input = '', memoryWaitMs = scopeOfOperation.memoryWaitMs }: StreamOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  await memoryBudget.waitForMemory(memoryWaitMs, signal);
  const startsAnyway = memoryWaitMs === null;
  const child = await startGroup(command, { env, startsAnyway, stop: (error) => stop(error), signal });
  let failure: unknown;
  const stop: Stop = (error) => {
    failure ??= error;
    killGroup(child);
    // Children of the command may have left its process group and still hold the other ends of the pipes.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  };
  const late = () => stop(new VcsError('timeout', `nothing for ${timeoutMs} ms`));
  const cancel = () => stop(new VcsError('cancelled', 'cancelled', { cause: signal.reason }));
  const end = endOf(child, stop);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  feed(child, input, stop);
  let timer = setTimeout(late, timeoutMs);
  let bytes = 0;
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      yield chunk;
      bytes += chunk.length;
      // The pipe was emptied. Git writes 8 KB at a time, each of which would wake up all who pass it on.
      if (bytes > muchBytes && chunk.length < child.stdout.readableHighWaterMark) await wait(fillMs);
      timer = setTimeout(late, timeoutMs);
    }
    const { exitCode, killed, stderr } = await end;
    if (killed) throw killed;
    if (exitCode !== 0) throw toolFailure(`the command ended with ${exitCode}`, stderr, exitCode);
  } catch (error) {
    throw failure ?? error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    stop(null);
  }
}

interface Ending {
  /** -1 after a signal. */
  readonly exitCode: number;
  /** The error of a command that somebody else has killed. */
  readonly killed: VcsError | null;
  /** The last characters of it, for the log. */
  readonly stderr: string;
}

function endOf(child: GroupChild, stop: Stop): Promise<Ending> {
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-stderrCharsMax);
  });
  child.on('error', (error) => stop(new VcsError('failed', 'the command did not start', { cause: error })));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ exitCode: code ?? -1, killed: killedBy(signal), stderr }));
  });
}

/** Writes the input to stdin. A command may exit without reading all of it; only an error of the input is a failure. */
function feed({ stdin }: GroupChild, input: string | AsyncIterable<Uint8Array>, stop: Stop): void {
  if (typeof input === 'string') {
    stdin.on('error', () => {}).end(input);
    return;
  }
  const iterator = input[Symbol.asyncIterator]();
  let wanted = true;
  const source: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        iterator.next().catch((error: unknown) => {
          if (wanted) stop(error);
          throw error;
        }),
      async return() {
        wanted = false;
        return (await iterator.return?.()) ?? { done: true, value: undefined };
      },
    }),
  };
  pipeline(Readable.from(source, { objectMode: false }), stdin, () => {});
}
