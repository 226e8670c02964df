import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { copyFile, open, opendir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Database, type Db, operations } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { actor } from '../../with-database.ts';
import type { Target } from './choose-target.ts';
import { type FoundTree, isLeftOut } from './find-tree.ts';
import type { StorageOwner } from './storage-owner.ts';

/** Copies a repository's metadata to a new directory, and syncs it; file systems that can share the blocks do so. */
async function copyTree({ path, below }: FoundTree, target: string, owner: StorageOwner): Promise<void> {
  const pending = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    await owner.makeDirectory(join(target, below, directory));
    for await (const entry of await opendir(join(path, directory))) {
      const relative = join(directory, entry.name);
      if (isLeftOut(relative, below)) continue;
      if (entry.isDirectory()) pending.push(relative);
      // Others have come since the tree was looked through.
      else if (!entry.isFile()) throw new Error(`\`${relative}\` is neither a plain file nor a directory`);
      else {
        const copy = join(target, below, relative);
        await copyFile(join(path, relative), copy, constants.COPYFILE_FICLONE);
        await owner.give(copy);
      }
    }
  }
  await promisify(execFile)('sync', ['-f', '--', target]);
}

/** Seconds for which no worker takes over what this process does, if it does not renew the lease. */
const leaseSeconds = 120;
const renewMs = 20_000;

const leaseEnd = sql`clock_timestamp() + make_interval(secs => ${leaseSeconds})`;

/** An operation that this process begins, and that a worker ends. */
export interface BegunOperation {
  readonly id: string;
  /** Name of this process in the row. */
  readonly worker: string;
}

interface NewOperation extends BegunOperation {
  readonly kind: 'adopt' | 'replace';
  readonly repositoryId: number;
  readonly storageId: string;
  readonly epoch: number;
  readonly name: string;
}

/** Inserts an operation whose lease this process holds: a worker that finds the lease run out undoes it. */
export async function beginOperation(tx: Db, operation: NewOperation): Promise<void> {
  const { name, ...row } = operation;
  const request = { name, createdGroupIds: [] };
  const lease = { attempt: 1, leaseUntil: leaseEnd, startedAt: sql`now()` };
  await tx.insert(operations).values({ ...row, request, actorId: actor.actorId, state: 'running', ...lease });
}

function held({ id, worker }: BegunOperation) {
  return and(
    eq(operations.id, id),
    eq(operations.worker, worker),
    eq(operations.attempt, 1),
    eq(operations.state, 'running'),
    sql`${operations.leaseUntil} > now()`,
  );
}

/** Renews the lease while `act` runs; an attempt to renew that fails is followed by the next one. */
async function whileHeld<T>(db: Database, operation: BegunOperation, act: () => Promise<T>): Promise<T> {
  const renew = () => db.update(operations).set({ leaseUntil: leaseEnd }).where(held(operation));
  const timer = setInterval(() => void renew().catch(() => {}), renewMs);
  try {
    return await act();
  } finally {
    clearInterval(timer);
  }
}

/** Leaves an operation to the workers; returns false when its lease has run out meanwhile. */
export async function handOver(db: Db, operation: BegunOperation): Promise<boolean> {
  const left = await db
    .update(operations)
    .set({ leaseUntil: sql`now()`, handovers: 1 })
    .where(held(operation))
    .returning({ id: operations.id });
  return left.length > 0;
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Copies a tree into the staging of its operation, and from there to its path, if the lease is still held. */
export async function bringTree(
  db: Database,
  operation: BegunOperation,
  tree: FoundTree,
  { root, owner, storagePath }: Pick<Target, 'root' | 'owner'> & { readonly storagePath: string },
): Promise<void> {
  const staging = join(root, '@staging', `${operation.id}.1`);
  const path = join(root, storagePath);
  try {
    await whileHeld(db, operation, () => copyTree(tree, staging, owner));
    const [row] = await db.update(operations).set({ leaseUntil: leaseEnd }).where(held(operation)).returning();
    if (!row) throw new Error('a worker has taken the operation over');
    const created = await owner.makeDirectory(dirname(path));
    if (created !== undefined) await syncDirectory(dirname(created));
    await rename(staging, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
}
