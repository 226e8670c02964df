import { setTimeout as wait } from 'node:timers/promises';
import { waking, type Finder, type Finding } from './finding.ts';
import {
  freeUnowned,
  listAbandoned,
  listLost,
  listMisplaced,
  listOrphanedOperations,
  listUnrepaired,
  listWrongNames,
} from './inconsistency-store.ts';
import { listMisreported } from './misreported-store.ts';

/** Delay before orphans are listed again: a worker that lost its connection may be about to reconnect. */
const lookAgainMs = 1_000;

async function findOrphans({ db, wakeSweepers, signal }: Finder): Promise<Finding[]> {
  let orphans = await listOrphanedOperations(db);
  if (orphans.some(({ over }) => !over)) {
    const before = new Set(orphans.map(({ id, attempt }) => `${id} ${attempt}`));
    await wait(lookAgainMs, undefined, { signal });
    orphans = (await listOrphanedOperations(db)).filter(({ id, attempt }) => before.has(`${id} ${attempt}`));
  }
  return orphans.map(({ id, kind, repositoryId, name, leaseUntil, over }) => ({
    kind: 'operation_without_worker',
    operationId: id,
    repositoryId,
    name,
    since: over ? leaseUntil : null,
    msg: over
      ? `The lease of the ${kind} has run out, and no worker has taken the operation over yet.`
      : `The worker of the ${kind} has stopped. Another worker takes the operation over when its lease runs out.`,
    repair: over ? waking(wakeSweepers, 'wakes the workers to take the operation over') : undefined,
  }));
}

async function findNames({ db }: Finder): Promise<Finding[]> {
  const wrong = await listWrongNames(db);
  const misplaced = await listMisplaced(db);
  return [
    ...wrong.map(({ name, kind, unowned }): Finding =>
      unowned
        ? {
            kind: 'name_without_owner',
            name,
            msg: `The name is reserved for a ${kind}, but no repository or group has it.`,
            repair: { text: 'frees the name', act: () => freeUnowned(db, name) },
          }
        : {
            kind: 'name_of_wrong_kind',
            name,
            msg: `The name is reserved for a ${kind}, but it belongs to an object of another kind.`,
          },
    ),
    ...misplaced.map(({ name, kind }): Finding => {
      return { kind: 'name_misplaced', name, msg: `The ${kind} is not in the group that its name says.` };
    }),
  ];
}

/** Finds inconsistencies that the database alone shows. */
export async function findInDatabase(finder: Finder): Promise<Finding[]> {
  const { db, signal } = finder;
  const lost = await listLost(db);
  const abandoned = await listAbandoned(db);
  const unrepaired = await listUnrepaired(db);
  const misreported = await listMisreported(db, signal);
  return [
    ...lost.map(({ id, name, storagePath, storage }): Finding => ({
      kind: 'repository_of_lost_storage',
      repositoryId: id,
      name,
      path: storagePath,
      storage,
      msg: 'The storage of the repository is lost. Delete the repository, which then needs no bytes, or restore the storage.',
    })),
    ...(await findOrphans(finder)),
    ...abandoned.map(({ id, name, state, createdAt }): Finding => ({
      kind: 'repository_without_operation',
      repositoryId: id,
      name,
      since: state === 'creating' ? createdAt : null,
      msg: `The repository is ${state}, but no operation is running on it.`,
    })),
    ...unrepaired.map(({ id, name }): Finding => ({
      kind: 'repository_needs_recovery',
      repositoryId: id,
      name,
      msg: 'A write to the repository may have been interrupted. The next pull or fork repairs the repository first.',
    })),
    ...(await findNames(finder)),
    ...misreported.map(({ id, at, method, outcome, repositoryId, state }): Finding => ({
      kind: 'audit_mismatch',
      operationId: id,
      since: at,
      ...(repositoryId === null ? {} : { repositoryId }),
      msg: `In the audit log, ${method} has the outcome ${outcome}; the state of its operation is ${state ?? 'unknown'}.`,
    })),
  ];
}
