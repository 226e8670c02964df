import { nameBytes } from '@trunkline/runtime/text';
import { collectBytes } from '../../../collect-bytes.ts';
import { scopeOfOperation, scopeOfRead } from '../../process/call-scope.ts';
import { memoryBudget } from '../../process/memory-budget.ts';
import { VcsError } from '../../vcs-error.ts';
import type { HgRunOptions, HgRuns } from '../hg-stream.ts';
import { createForkServers, type ForkServers, type ForkServersOptions } from './fork-servers.ts';
import type { PushOutcome, ForkedChild } from './forked-child.ts';
import { NoChildError } from './fork-server.ts';

/** A client's request, beside the repository. */
export interface HgRequest {
  readonly command: string;
  /** What the client understands, as in its headers `X-HgProto`. */
  readonly caps: string;
  /** The arguments, as in a query. */
  readonly args: AsyncIterable<Uint8Array>;
  /** Called when the answer, which ends as any other, tells the client of a failure. */
  readonly onRefusal?: () => void;
}

export interface HgAnswer {
  readonly type: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A client's push that has arrived. */
export interface HgPush {
  readonly command: string;
  readonly caps: string;
  readonly args: string;
  /** Path of the file with its bundle, which may be empty. */
  readonly bundle: string;
}

/** Answers the requests of Mercurial clients, as hgweb does. */
export interface HgProtocol extends HgRuns {
  /** Answers a request; the body has to be read, or the signal to abort. */
  serve(path: string, request: HgRequest, signal: AbortSignal): Promise<HgAnswer>;
  /** Waits until there is memory for a push, which is to be done before it takes the repository. */
  waitForMemory(signal: AbortSignal): Promise<void>;
  /** Applies a push; `mayChange` is awaited before anything of it becomes visible, and throws to refuse it. */
  push(path: string, push: HgPush, mayChange: () => Promise<void>): Promise<PushOutcome>;
  /** Returns the answer that tells a client that all of a bundle was applied, whatever Mercurial has said to it. */
  success(path: string, bundle: string, signal: AbortSignal): Promise<Buffer>;
  /** Returns a digest of what pushes can change: heads, bookmarks and phases. */
  digest(path: string): Promise<string>;
  close(): Promise<void>;
}

export interface HgProtocolOptions extends ForkServersOptions {
  /** Limits of one request that reads: its processor time, and each file that it writes. */
  readonly readLimits: { readonly cpuSeconds: number; readonly fileBytes: number };
  /** Limits of one push; the second one is that of all files together. */
  readonly pushLimits: { readonly cpuSeconds: number; readonly fileBytes: number; readonly timeoutMs: number };
}

/** Media type of an answer that is an error. */
const errorType = 'application/hg-error';

const neverAborted = new AbortController().signal;

async function* onePiece(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}

/** Joins the words of a command line with NUL, which none of them may have. */
function joinWords(words: readonly string[]): Buffer {
  if (words.some((word) => word.includes('\0'))) throw new VcsError('failed', 'a word of a command has NUL');
  return nameBytes(words.join('\0'));
}

/** Forks the child of a command; returns null when none can be forked. */
async function startRun(
  servers: ForkServers,
  { signal, memoryWaitMs, timeoutMs }: HgRunOptions,
): Promise<ForkedChild | null> {
  try {
    if (memoryWaitMs !== null) memoryBudget.requireMemory();
    return await memoryBudget.whileStarting(() => servers.open({ outputMsMax: timeoutMs, signal }));
  } catch (error) {
    if (signal.aborted) throw new VcsError('cancelled', 'cancelled while it began', { cause: signal.reason });
    if (error instanceof NoChildError) return null;
    throw error;
  }
}

export function createHgProtocol(options: HgProtocolOptions): HgProtocol {
  const { readLimits, pushLimits } = options;
  const servers = createForkServers(options);
  return {
    async serve(path, { command, caps, args, onRefusal = () => {} }, signal) {
      const scope = scopeOfRead(signal);
      await memoryBudget.waitForMemory(scope.memoryWaitMs, signal);
      const child = await servers.open({ onRefusal });
      child.endWith(signal);
      const type = await child.ask({ kind: 'read', path, command, caps, ...readLimits }, args);
      if (type === errorType) onRefusal();
      return { type, body: child.output(signal) };
    },
    async run(words, options) {
      const joined = joinWords(words);
      await memoryBudget.waitForMemory(options.memoryWaitMs, options.signal);
      const server = await servers.ready(options.signal);
      const child = server && (await startRun(servers, options));
      if (!child) return null;
      await child.ask({ kind: 'command', ...readLimits }, onePiece(joined));
      return child.output(options.signal);
    },
    waitForMemory: (signal) => memoryBudget.waitForMemory(scopeOfOperation.memoryWaitMs, signal),
    async push(path, { command, caps, args, bundle }, mayChange) {
      const { timeoutMs, ...limits } = pushLimits;
      const child = await servers.open({ outputMsMax: timeoutMs, writtenBytesMax: limits.fileBytes });
      const head = { kind: 'push', path, command, caps, spool: bundle, ...limits };
      return child.push(head, onePiece(Buffer.from(args, 'latin1')), mayChange);
    },
    async success(path, bundle, signal) {
      await memoryBudget.waitForMemory(scopeOfOperation.memoryWaitMs, signal);
      const child = await servers.open();
      child.endWith(signal);
      await child.ask({ kind: 'success', path, spool: bundle, ...readLimits }, onePiece(Buffer.alloc(0)));
      return collectBytes(child.output(signal));
    },
    async digest(path) {
      const child = await servers.open();
      await child.ask({ kind: 'digest', path, ...readLimits }, onePiece(Buffer.alloc(0)));
      return (await collectBytes(child.output(neverAborted))).toString('latin1');
    },
    close: () => servers.close(),
  };
}
