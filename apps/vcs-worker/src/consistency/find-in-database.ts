import { setTimeout as wait } from 'node:timers/promises';
import { waking, type Finder, type Finding } from './finding.ts';
import {
  freeUnowned,
  listAbandoned,
  listMisplaced,
  listMisreported,
  listOrphanedOperations,
  listUnrepaired,
  listWrongNames,
} from './inconsistency-store.ts';

/** A worker that lost its connection may be about to reconnect. */
const lookAgainMs = 1_000;

async function findOrphans({ db, wakeSweepers }: Finder): Promise<Finding[]> {
  let orphans = await listOrphanedOperations(db);
  if (orphans.some(({ over }) => !over)) {
    const before = new Set(orphans.map(({ id, attempt }) => `${id} ${attempt}`));
    await wait(lookAgainMs);
    orphans = (await listOrphanedOperations(db)).filter(({ id, attempt }) => before.has(`${id} ${attempt}`));
  }
  return orphans.map(({ id, kind, repositoryId, name, leaseUntil, over }) => ({
    kind: 'operation_without_worker',
    operationId: id,
    repositoryId,
    name,
    since: over ? leaseUntil : null,
    msg: over
      ? `The lease of the ${kind} is over, and no worker has taken it over yet.`
      : `The worker of the ${kind} is gone; another one takes it over when its lease is over.`,
    repair: over ? waking(wakeSweepers, 'wakes the workers to take it over') : undefined,
  }));
}

async function findNames({ db }: Finder): Promise<Finding[]> {
  const wrong = await listWrongNames(db);
  const misplaced = await listMisplaced(db);
  return [
    ...wrong.map(({ path, kind, unowned }): Finding =>
      unowned
        ? {
            kind: 'name_without_owner',
            name: path,
            msg: `No repository and no group has the name, which is taken for a ${kind}.`,
            repair: { text: 'frees the name', act: () => freeUnowned(db, path) },
          }
        : { kind: 'name_of_wrong_kind', name: path, msg: `The name is taken for a ${kind}, and is none’s.` },
    ),
    ...misplaced.map(({ path, kind }): Finding => {
      return { kind: 'name_misplaced', name: path, msg: `The ${kind} does not lie in the group that its name says.` };
    }),
  ];
}

/** Inconsistencies that the database alone shows. */
export async function findInDatabase(finder: Finder): Promise<Finding[]> {
  const { db } = finder;
  const abandoned = await listAbandoned(db);
  const unrepaired = await listUnrepaired(db);
  const misreported = await listMisreported(db);
  return [
    ...(await findOrphans(finder)),
    ...abandoned.map(({ id, name, state, createdAt }): Finding => ({
      kind: 'repository_without_operation',
      repositoryId: id,
      name,
      since: state === 'creating' ? createdAt : null,
      msg: `The repository is ${state}, and no operation is at it.`,
    })),
    ...unrepaired.map(({ id, name }): Finding => ({
      kind: 'repository_needs_recovery',
      repositoryId: id,
      name,
      msg: 'A write may have been cut off; the next pull or fork repairs that first.',
    })),
    ...(await findNames(finder)),
    ...misreported.map(({ id, at, method, outcome, repositoryId, state }): Finding => ({
      kind: 'audit_mismatch',
      operationId: id,
      since: at,
      ...(repositoryId === null ? {} : { repositoryId }),
      msg: `The audit log has ${method} as ${outcome}, the journal as ${state ?? 'unknown'}.`,
    })),
  ];
}
