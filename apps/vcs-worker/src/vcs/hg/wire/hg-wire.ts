import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryBudget } from '../../process/memory-budget.ts';
import { scopeOfRead } from '../../process/call-scope.ts';
import { VcsError } from '../../vcs-error.ts';
import { WireChild } from './wire-child.ts';
import { NoChildError, WireServer, type WireServerOptions } from './wire-server.ts';

/** A client's request, beside the repository. */
export interface HgRequest {
  readonly command: string;
  /** What the client understands, as in its headers `X-HgProto`. */
  readonly caps: string;
  /** The arguments, as in a query. */
  readonly args: AsyncIterable<Uint8Array>;
}

export interface HgAnswer {
  readonly type: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Answers the requests of Mercurial clients that read, as hgweb does. */
export interface HgWire {
  /** Answers a request; the body has to be read, or the signal to abort. */
  serve(path: string, request: HgRequest, signal: AbortSignal): Promise<HgAnswer>;
  close(): Promise<void>;
}

export interface HgWireOptions extends WireServerOptions {
  /** Directory of the sockets. */
  readonly socketDir: string;
  /** Limit of the processor time of one request. */
  readonly cpuSeconds: number;
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

  const open = (): Promise<WireChild> =>
    WireChild.open(take(), options.noteUnreadable).catch((error: unknown) => {
      // A kept server may have been killed, which shows at the next request.
      if (!(error instanceof NoChildError)) throw error;
      return WireChild.open(take(), options.noteUnreadable);
    });

  return {
    async serve(path, { command, caps, args }, signal) {
      const scope = scopeOfRead(signal);
      await memoryBudget.waitForMemory(scope.memoryWaitMs, signal);
      const child = await open();
      child.endWith(signal);
      const type = await child.ask({ path, command, caps, cpuSeconds: options.cpuSeconds }, args);
      return { type, body: child.output(signal) };
    },
    async close() {
      isClosed = true;
      for (const server of servers) server.kill();
      await Promise.all([...servers].map(({ ended }) => ended));
    },
  };
}
