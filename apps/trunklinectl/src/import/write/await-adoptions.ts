import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { operations, type Database } from '@trunkline/db';
import { inArray } from 'drizzle-orm';
import { whileRepositories, type Progress, type Shown } from '../../show-progress.ts';
import type { Target } from '../bytes/choose-target.ts';
import type { Finding } from '../plan/finding.ts';
import type { Pending } from './write-repositories.ts';

const pollMs = 500;
const idsMax = 1_000;

interface Awaited {
  readonly done: number;
  /** Operations that no worker has ended in time. */
  readonly waiting: number;
}

async function readEnded(db: Database, pending: readonly Pending[]) {
  const rows: { id: string; state: string; error: string | null }[] = [];
  for (let from = 0; from < pending.length; from += idsMax) {
    const ids = pending.slice(from, from + idsMax).map(({ operationId }) => operationId);
    const { id, state, error } = operations;
    const found = await db.select({ id, state, error }).from(operations).where(inArray(id, ids));
    rows.push(...found.filter((row) => row.state !== 'running'));
  }
  return rows;
}

/** The trash is emptied of it as of any other failed operation's tree. */
async function trashCopy({ root, owner }: AwaitOptions['target'], { operationId, copiedTo }: Pending): Promise<void> {
  if (copiedTo === null) return;
  await owner.makeDirectory(join(root, '@trash'));
  // Another process may have moved it already.
  await rename(copiedTo, join(root, '@trash', `0.${operationId}`)).catch(() => {});
}

interface AwaitOptions {
  readonly target: Pick<Target, 'root' | 'owner'>;
  readonly patienceMs: number;
  readonly findings: Finding[];
  readonly shown: Shown;
}

async function untilEnded(db: Database, pending: readonly Pending[], patienceMs: number, reach: Progress['reach']) {
  let ended = await readEnded(db, pending);
  for (let lastEndAt = performance.now(); ended.length < pending.length;) {
    if (performance.now() - lastEndAt > patienceMs) break;
    await delay(pollMs);
    const before = ended.length;
    ended = await readEnded(db, pending);
    if (ended.length > before) lastEndAt = performance.now();
    reach(ended.length);
  }
  return ended;
}

/**
 * Waits until workers have adopted all repositories, as long as one of them ends within `patienceMs`. What they refuse
 * is a finding.
 */
export async function awaitAdoptions(
  db: Database,
  pending: readonly Pending[],
  { target, patienceMs, findings, shown }: AwaitOptions,
): Promise<Awaited> {
  const ended = await whileRepositories(shown, pending.length, 'adopted by workers', ({ reach }) =>
    untilEnded(db, pending, patienceMs, reach),
  );
  const failed = ended.filter(({ state }) => state === 'failed');
  for (const { id, error } of failed) {
    const one = pending.find(({ operationId }) => operationId === id);
    if (!one) continue;
    await trashCopy(target, one);
    findings.push({ kind: 'refused', about: one.about, what: error ?? 'a worker could not adopt it' });
  }
  return { done: ended.length - failed.length, waiting: pending.length - ended.length };
}
