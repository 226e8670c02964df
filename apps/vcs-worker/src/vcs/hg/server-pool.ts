import { Semaphore } from '@trunkline/runtime/concurrency';
import { VcsError } from '../vcs-error.ts';
import type { CommandServer, HgResult, HgRunOptions } from './command-server.ts';

type PooledServer = Pick<CommandServer, 'run' | 'memoryBytes' | 'kill' | 'dead' | 'commands'>;

/** Nothing was run: which repository was asked for does not matter. */
export class NoServerError extends VcsError {
  constructor() {
    super('timeout', 'no command server became free');
  }
}

export interface ServerPool {
  /** Runs one command on some server; waits for a free one no longer than the command's own time limit. */
  run(args: readonly string[], options: HgRunOptions): Promise<HgResult>;
  close(): void;
}

const waitingMax = 1_000;
const commandsMax = 1_000;
const memoryBytesMax = 150 * 1024 * 1024;
const memoryCheckedEvery = 20;

/** Command servers that are kept; one is replaced after any error, many commands, or when it has grown. */
export function createServerPool(size: number, start: () => PooledServer): ServerPool {
  const free: PooledServer[] = [];
  const all = new Set<PooledServer>();
  const servers = new Semaphore({
    limit: size,
    queueMax: waitingMax,
    refuse: (reason) => (reason === 'closed' ? new VcsError('failed', 'closed') : new NoServerError()),
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

  /** A free server, or a new one: whoever holds a permit finds fewer than `size` in use. */
  const take = (): PooledServer => {
    for (let server = free.pop(); server; server = free.pop()) {
      if (!server.dead) return server;
      discard(server);
    }
    return startOne();
  };

  const isWorn = async (server: PooledServer): Promise<boolean> => {
    if (server.dead || server.commands >= commandsMax) return true;
    return server.commands % memoryCheckedEvery === 0 && (await server.memoryBytes()) > memoryBytesMax;
  };

  const putBack = async (server: PooledServer): Promise<void> => {
    try {
      if (await isWorn(server)) discard(server);
      else free.push(server);
    } finally {
      servers.release();
    }
  };

  return {
    async run(args, options) {
      await servers.acquire({ timeoutMs: options.timeoutMs });
      const server = take();
      try {
        return await server.run(args, options);
      } finally {
        await putBack(server);
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
