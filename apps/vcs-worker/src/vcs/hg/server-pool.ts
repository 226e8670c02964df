import { Semaphore, type RefusalReason } from '@trunkline/runtime/concurrency';
import { commandCaller, scopeOfOperation } from '../process/call-scope.ts';
import { memoryBudget } from '../process/memory-budget.ts';
import { VcsError } from '../vcs-error.ts';
import type { CommandServer, HgResult, HgRunOptions } from './command-server.ts';

type PooledServer = Pick<CommandServer, 'run' | 'memoryBytes' | 'kill' | 'dead' | 'commands'>;

/** Refusal before any command ran: no server became free, for which the command's repository is not to blame. */
export class NoServerError extends VcsError {
  constructor() {
    super('timeout', 'no command server became free');
  }
}

export interface PooledRunOptions extends HgRunOptions {
  /** How long a new server may wait for memory; as long as those of operations when absent. */
  readonly memoryWaitMs?: number | null;
}

export interface ServerPool {
  /**
   * Runs one command on a free server, for which it waits no longer than the command's own timeout. The queue
   * is fair by caller, whatever the number of their commands; operations together count as one caller.
   */
  run(args: readonly string[], options: PooledRunOptions): Promise<HgResult>;
  close(): void;
}

const refusals: Readonly<Partial<Record<RefusalReason, () => VcsError>>> = {
  closed: () => new VcsError('failed', 'closed'),
  aborted: () => new VcsError('cancelled', 'cancelled before it began'),
};
const waitingMax = 1_000;
/** The waiters of one caller leave a part of the queue to others, beside being served fairly. */
const waitingMaxPerCaller = waitingMax / 4;
const commandsMax = 1_000;
const memoryBytesMax = 150 * 1024 * 1024;
const memoryCheckedEvery = 20;

/** Creates a pool of kept command servers. A dead one is replaced, and one that has run many commands or has grown. */
export function createServerPool(size: number, start: () => PooledServer): ServerPool {
  const free: PooledServer[] = [];
  const all = new Set<PooledServer>();
  const servers = new Semaphore({
    limit: size,
    queueMax: waitingMax,
    queueMaxPerCaller: waitingMaxPerCaller,
    refuse: (reason) => refusals[reason]?.() ?? new NoServerError(),
  });

  const discard = (server: PooledServer) => {
    all.delete(server);
    server.kill();
  };

  const startOne = (): PooledServer => {
    const server = start();
    all.add(server);
    return server;
  };

  /** Returns a free server or starts one: the holder of a permit finds fewer than `size` servers in use. */
  const take = (): PooledServer => {
    for (let server = free.pop(); server; server = free.pop()) {
      if (!server.dead) return server;
      discard(server);
    }
    return startOne();
  };

  const needsReplacement = async (server: PooledServer): Promise<boolean> => {
    if (server.dead || server.commands >= commandsMax) return true;
    return server.commands % memoryCheckedEvery === 0 && (await server.memoryBytes()) > memoryBytesMax;
  };

  const putBack = async (server: PooledServer, caller: string | null): Promise<void> => {
    try {
      if (await needsReplacement(server)) discard(server);
      else free.push(server);
    } finally {
      servers.release(null, caller);
    }
  };

  return {
    async run(args, { memoryWaitMs = scopeOfOperation.memoryWaitMs, ...options }) {
      const { signal, timeoutMs } = options;
      if (!free.some(({ dead }) => !dead)) await memoryBudget.waitForMemory(memoryWaitMs, signal);
      const caller = commandCaller.getStore() ?? null;
      await servers.acquire({ caller, timeoutMs, signal });
      let server: PooledServer;
      try {
        server = take();
      } catch (error) {
        // A process cannot be started, for example without free file descriptors.
        servers.release(null, caller);
        throw error;
      }
      try {
        return await server.run(args, options);
      } finally {
        await putBack(server, caller);
      }
    },
    close() {
      servers.close();
      for (const server of all) server.kill();
      all.clear();
      free.length = 0;
    },
  };
}
