import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { collectBytes } from '../../../collect-bytes.ts';
import { memoryBudget } from '../../process/memory-budget.ts';
import { scopeOfOperation, scopeOfRead } from '../../process/call-scope.ts';
import { VcsError } from '../../vcs-error.ts';
import { WireChild, type ChildOptions, type PushOutcome } from './wire-child.ts';
import { NoChildError, WireServer, type WireServerOptions } from './wire-server.ts';

/** A client's request, beside the repository. */
export interface HgRequest {
  readonly command: string;
  /** What the client understands, as in its headers `X-HgProto`. */
  readonly caps: string;
  /** The arguments, as in a query. */
  readonly args: AsyncIterable<Uint8Array>;
  /** Called when the answer, which ends as any other, tells the client of a failure. */
  readonly noteRefusal?: () => void;
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
export interface HgWire {
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

export interface HgWireOptions extends WireServerOptions {
  /** Directory of the sockets. */
  readonly socketDir: string;
  /** Limits of one request that reads: its processor time, and each file that it writes. */
  readonly readLimits: { readonly cpuSeconds: number; readonly fileBytes: number };
  /** Limits of one push; the second one is that of all files together. */
  readonly pushLimits: { readonly cpuSeconds: number; readonly fileBytes: number; readonly timeoutMs: number };
  /** Called when Mercurial cannot be started so that it answers clients. */
  readonly noteStartFailure: (error: unknown) => void;
  /** Called when a repository turned out to be unreadable after an answer had begun, and its client was told so. */
  readonly noteUnreadable: (error: unknown) => void;
  /** Children after which a server is replaced. */
  readonly forksMax?: number;
}

const forksMaxDefault = 20_000;
const memoryBytesMax = 150 * 1024 * 1024;
/** Time after which a server that did not start is tried again. */
const startAgainMs = 10_000;

/** Media type of an answer that is an error. */
const errorType = 'application/hg-error';

const neverAborted = new AbortController().signal;

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'latin1');
}

export function createHgWire(options: HgWireOptions): HgWire {
  const { forksMax = forksMaxDefault } = options;
  const servers = new Set<WireServer>();
  let current: WireServer | null = null;
  let started = 0;
  let failedAt = -Infinity;
  let isClosed = false;

  const start = (): WireServer => {
    if (isClosed) throw new VcsError('cancelled', 'closed');
    if (performance.now() - failedAt < startAgainMs) throw new VcsError('timeout', 'the fork server does not start');
    started += 1;
    const path = join(options.socketDir, String(started));
    const server = new WireServer(options, path);
    servers.add(server);
    void server.ended.then(async () => {
      await rm(path, { force: true });
      servers.delete(server);
    });
    server.ready.catch((error: unknown) => {
      const isBusy = error instanceof VcsError && error.kind === 'busy';
      if (isClosed || isBusy) return;
      failedAt = performance.now();
      options.noteStartFailure(error);
    });
    return server;
  };

  /** Returns a server that accepts requests; starts one when there is none, or when the present one is used up. */
  const take = (): WireServer => {
    if (current && !current.dead && (current.forks >= forksMax || current.sharedBytes > memoryBytesMax)) {
      current.retire();
      current = null;
    }
    if (!current || current.dead) current = start();
    return current;
  };

  const { readLimits, pushLimits, noteUnreadable } = options;
  const open = (limits: Omit<ChildOptions, 'noteUnreadable'> = {}): Promise<WireChild> => {
    const once = () => WireChild.open(take(), { noteUnreadable, ...limits });
    return once().catch((error: unknown) => {
      // A kept server may have been killed, which shows at the next request.
      if (!(error instanceof NoChildError)) throw error;
      return once();
    });
  };

  return {
    async serve(path, { command, caps, args, noteRefusal = () => {} }, signal) {
      const scope = scopeOfRead(signal);
      await memoryBudget.waitForMemory(scope.memoryWaitMs, signal);
      const child = await open({ noteRefusal });
      child.endWith(signal);
      const type = await child.ask({ kind: 'read', path, command, caps, ...readLimits }, args);
      if (type === errorType) noteRefusal();
      return { type, body: child.output(signal) };
    },
    waitForMemory: (signal) => memoryBudget.waitForMemory(scopeOfOperation.memoryWaitMs, signal),
    async push(path, { command, caps, args, bundle }, mayChange) {
      const { timeoutMs, ...limits } = pushLimits;
      const child = await open({ outputMsMax: timeoutMs, writtenBytesMax: limits.fileBytes });
      const head = { kind: 'push', path, command, caps, spool: bundle, ...limits };
      return child.push(head, onePiece(args), mayChange);
    },
    async success(path, bundle, signal) {
      await memoryBudget.waitForMemory(scopeOfOperation.memoryWaitMs, signal);
      const child = await open();
      child.endWith(signal);
      await child.ask({ kind: 'success', path, spool: bundle, ...readLimits }, onePiece(''));
      return collectBytes(child.output(signal));
    },
    async digest(path) {
      const child = await open();
      await child.ask({ kind: 'digest', path, ...readLimits }, onePiece(''));
      return (await collectBytes(child.output(neverAborted))).toString('latin1');
    },
    async close() {
      isClosed = true;
      for (const server of servers) server.kill();
      await Promise.all([...servers].map(({ ended }) => ended));
    },
  };
}
