import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { VcsError } from '../../vcs-error.ts';
import { ForkedChild, type ChildOptions } from './forked-child.ts';
import { NoChildError, ForkServer, type ForkServerOptions } from './fork-server.ts';

export interface ForkServersOptions extends ForkServerOptions {
  /** Directory of the sockets. */
  readonly socketDir: string;
  /** Called when Mercurial cannot be started so that it serves requests. */
  readonly onStartFailure: (error: unknown) => void;
  /** Called when a repository turned out to be unreadable after an answer had begun, and its client was told so. */
  readonly onUnreadable: (error: unknown) => void;
  /** Children after which a server is replaced. */
  readonly forksMax?: number;
}

/** Processes that have loaded Mercurial: one of them forks the children, others end with their last child. */
export interface ForkServers {
  /**
   * Returns a server that has started, for which the caller waits two seconds at most; null when there is none, because
   * Mercurial starts late, or never.
   */
  ready(signal: AbortSignal): Promise<ForkServer | null>;
  /** Forks a child, by another server when the present one has died. */
  open(options?: Omit<ChildOptions, 'onUnreadable'>): Promise<ForkedChild>;
  close(): Promise<void>;
}

const forksMaxDefault = 20_000;
const memoryBytesMax = 150 * 1024 * 1024;
/** Time after which a server that did not start is tried again. */
const startAgainMs = 10_000;
/** Time for which a command waits for a server that starts. */
const readyMsMax = 2_000;

const closed = () => new VcsError('cancelled', 'closed');

class NotStartedError extends VcsError {
  constructor() {
    super('timeout', 'the fork server does not start');
  }
}

/** Waits for the start of a server; returns whether it has started in time, and before the signal aborted. */
async function hasStarted(server: ForkServer, signal: AbortSignal): Promise<boolean> {
  if (server.hasStarted) return true;
  const settled = new AbortController();
  const late = wait(readyMsMax, false, { signal: AbortSignal.any([signal, settled.signal]) }).catch(() => false);
  const started = server.ready.then(
    () => true,
    () => false,
  );
  const inTime = await Promise.race([started, late]);
  settled.abort();
  return inTime;
}

export function createForkServers(options: ForkServersOptions): ForkServers {
  const { forksMax = forksMaxDefault, onUnreadable } = options;
  const servers = new Set<ForkServer>();
  let current: ForkServer | null = null;
  let started = 0;
  let failedAt = -Infinity;
  let isClosed = false;

  const start = (): ForkServer => {
    if (isClosed) throw closed();
    if (performance.now() - failedAt < startAgainMs) throw new NotStartedError();
    started += 1;
    const path = join(options.socketDir, String(started));
    const server = new ForkServer(options, path);
    servers.add(server);
    void server.ended.then(async () => {
      await rm(path, { force: true });
      servers.delete(server);
    });
    server.ready.catch((error: unknown) => {
      const isBusy = error instanceof VcsError && error.kind === 'busy';
      if (isClosed || isBusy) return;
      failedAt = performance.now();
      options.onStartFailure(error);
    });
    return server;
  };

  /** Returns a server that accepts requests; starts one when there is none, or when the present one is used up. */
  const take = (): ForkServer => {
    if (current && !current.dead && (current.forks >= forksMax || current.sharedBytes > memoryBytesMax)) {
      current.retire();
      current = null;
    }
    if (!current || current.dead) current = start();
    return current;
  };

  return {
    async ready(signal) {
      try {
        const server = take();
        if (await hasStarted(server, signal)) return server;
      } catch (error) {
        if (!(error instanceof NotStartedError)) throw error;
      }
      if (isClosed) throw closed();
      if (signal.aborted) throw new VcsError('cancelled', 'cancelled before it began', { cause: signal.reason });
      return null;
    },
    async open(limits = {}) {
      const once = () => ForkedChild.open(take(), { onUnreadable, ...limits });
      return once().catch((error: unknown) => {
        // A kept server may have been killed, which shows at the next request.
        if (!(error instanceof NoChildError) || limits.signal?.aborted) throw error;
        return once();
      });
    },
    async close() {
      isClosed = true;
      for (const server of servers) server.kill(closed());
      await Promise.all([...servers].map(({ ended }) => ended));
    },
  };
}
