import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessState } from '@trunkline/contracts';
import { type Database, findFirstAdminId, storages } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { RefusedError } from '../errors.ts';
import { readCluster } from '../cluster.ts';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { type Environment, readProcessConfig } from '../config.ts';
import { recordChange, withDatabase } from '../with-database.ts';

const lookMs = 200;

/** Returns whether a process runs a worker; what has ended has no command line any more. */
async function isWorker(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes('vcs-worker');
}

/**
 * Tells a worker of this machine to stop, as its supervisor does, and waits for its end: the worker bounds that itself by
 * TRUNKLINE_STOP_SECONDS.
 */
export async function stopWorker({ id, pid, host }: ProcessState): Promise<void> {
  // In containers, another process may have the number here.
  if (host !== hostname() || !(await isWorker(pid))) {
    throw new RefusedError(`worker ${id} runs as process ${pid} on ${host}: send SIGTERM to it there`);
  }
  try {
    process.kill(pid, 'SIGTERM');
  } catch (cause) {
    throw new RefusedError(`process ${pid} belongs to another user: run this as that user`, { cause });
  }
  while (await isWorker(pid)) await sleep(lookMs);
}

/** Sets the state as `update_storage` does; repositories are moved as the first administrator. */
async function drainStorage(db: Database, name: string): Promise<Outcome> {
  await db.transaction(async (tx) => {
    const adminId = await findFirstAdminId(tx);
    if (adminId === undefined)
      throw new RefusedError('the instance has no administrator, as whom repositories could be moved');
    await tx.update(storages).set({ state: 'draining', drainedById: adminId }).where(eq(storages.name, name));
    await recordChange(tx, 'update_storage', { storage: name, state: 'draining' });
  });
  return {
    text: `storage \`${name}\` is draining: \`trunklinectl status\` shows how many repositories are left`,
    record: { storage: name, state: 'draining' },
  };
}

async function drainWorker(environment: Environment, db: Database, idStart: string): Promise<Outcome> {
  const { answered } = await readCluster(readProcessConfig(environment), db);
  const found = answered.filter(({ role, id }) => role === 'vcs-worker' && id.startsWith(idStart.toLowerCase()));
  const [worker, ...more] = found;
  if (!worker) throw new RefusedError(`neither a storage nor a worker that answers is called \`${idStart}\``);
  if (more.length > 0) throw new RefusedError(`${found.length} workers are called \`${idStart}\`: give more of the id`);
  await stopWorker(worker);
  return { text: `worker ${worker.id} has ended its work and stopped`, record: { worker: worker.id } };
}

async function act({ environment }: Context, name: string): Promise<Outcome> {
  return withDatabase(readProcessConfig(environment), async (db) => {
    const [storage] = await db.select({ name: storages.name }).from(storages).where(eq(storages.name, name));
    return storage ? drainStorage(db, name) : drainWorker(environment, db, name);
  });
}

export const drain: AddCommand = (program, choose) => {
  program
    .command('drain')
    .description(
      'move all repositories away from a storage, or stop a worker of this machine when its calls have ended',
    )
    .argument('<STORAGE|WORKER>', 'name of a storage, or the beginning of the id of a worker')
    .action((name: string) => choose((context) => act(context, name)));
};
