import { VcsError } from '../vcs-error.ts';
import type { CommandServer, HgResult, HgRunOptions } from './command-server.ts';

type PooledServer = Pick<CommandServer, 'run' | 'memoryBytes' | 'kill' | 'dead' | 'commands'>;

/** Nothing was run: which repository was asked for does not matter. */
export class NoServerError extends VcsError {
  constructor() {
    super('timeout', 'no command server became free');
  }
}

interface Waiter {
  give(server: PooledServer): void;
  refuse(error: VcsError): void;
}

export interface ServerPool {
  /** Runs one command on some server; waits for a free one no longer than the command's own time limit. */
  run(args: readonly string[], options: HgRunOptions): Promise<HgResult>;
  close(): void;
}

const commandsMax = 1_000;
const memoryBytesMax = 150 * 1024 * 1024;
const memoryCheckedEvery = 20;

/** Command servers that are kept; one is replaced after any error, many commands, or when it has grown. */
export function createServerPool(size: number, start: () => PooledServer): ServerPool {
  const free: PooledServer[] = [];
  const all = new Set<PooledServer>();
  const waiting = new Set<Waiter>();
  let closed = false;

  const discard = (server: PooledServer) => {
    all.delete(server);
    server.kill();
  };

  const startOne = (): PooledServer => {
    const server = start();
    all.add(server);
    return server;
  };

  const wait = (timeoutMs: number) =>
    new Promise<PooledServer>((resolve, reject) => {
      const waiter: Waiter = {
        give(server) {
          clearTimeout(timer);
          resolve(server);
        },
        refuse(error) {
          clearTimeout(timer);
          waiting.delete(waiter);
          reject(error);
        },
      };
      const late = () => waiter.refuse(new NoServerError());
      const timer = setTimeout(late, timeoutMs);
      waiting.add(waiter);
    });

  const take = async (timeoutMs: number): Promise<PooledServer> => {
    if (closed) throw new VcsError('failed', 'closed');
    for (let server = free.pop(); server; server = free.pop()) {
      if (!server.dead) return server;
      discard(server);
    }
    if (all.size < size) return startOne();
    return wait(timeoutMs);
  };

  const isWorn = async (server: PooledServer): Promise<boolean> => {
    if (server.dead || server.commands >= commandsMax) return true;
    return server.commands % memoryCheckedEvery === 0 && (await server.memoryBytes()) > memoryBytesMax;
  };

  const giveBack = async (server: PooledServer): Promise<void> => {
    const worn = await isWorn(server);
    if (worn) discard(server);
    const [next] = waiting;
    if (next) {
      waiting.delete(next);
      next.give(worn ? startOne() : server);
    } else if (!worn) free.push(server);
  };

  return {
    async run(args, options) {
      const server = await take(options.timeoutMs);
      try {
        return await server.run(args, options);
      } finally {
        await giveBack(server);
      }
    },
    close() {
      closed = true;
      for (const waiter of waiting) waiter.refuse(new VcsError('failed', 'closed'));
      for (const server of all) server.kill();
      all.clear();
      free.length = 0;
    },
  };
}
