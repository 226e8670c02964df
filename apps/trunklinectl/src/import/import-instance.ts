import { randomUUID } from 'node:crypto';
import { users, type Database, type SecretVault } from '@trunkline/db';
import { and, asc, sql } from 'drizzle-orm';
import { RefusedError } from '../errors.ts';
import type { Target } from './bytes/choose-target.ts';
import { findStrays } from './bytes/find-strays.ts';
import { findTree } from './bytes/find-tree.ts';
import type { Finding } from './plan/finding.ts';
import { makePlan, type PlanOptions } from './plan/make-plan.ts';
import type { Plan } from './plan/plan.ts';
import type { ImportReport } from './report.ts';
import type { Source } from './source/source.ts';
import { awaitAdoptions } from './write/await-adoptions.ts';
import { loadHere } from './write/imported-store.ts';
import { writePermissions } from './write/write-permissions.ts';
import { writeRepoGroups } from './write/write-repo-groups.ts';
import { writeRepositories, type RepositoryWriting } from './write/write-repositories.ts';
import { writeUserGroups } from './write/write-user-groups.ts';
import { writeUsers } from './write/write-users.ts';

export interface ImportOptions extends Omit<PlanOptions, 'now'> {
  readonly isDryRun: boolean;
  /** Milliseconds for which no adoption may end before the import stops to wait. */
  readonly patienceMs: number;
}

/** Key of the advisory lock that keeps imports apart. */
const lockKey = 7_316_404;

async function findFirstAdminId(db: Database): Promise<number> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(users.admin, users.active))
    .orderBy(asc(users.id))
    .limit(1);
  if (!row) throw new RefusedError('the instance has no administrator: create one with create-admin');
  return row.id;
}

/** The lock belongs to the only connection, and goes with it. */
async function lockImports(db: Database): Promise<void> {
  const [row] = await db.execute<{ locked: boolean }>(sql`select pg_try_advisory_lock(${lockKey}) as locked`);
  if (!row?.locked) throw new RefusedError('another import runs');
}

/** Looks for the directories without which repositories are not brought. */
async function findMissing(directory: string, { repositories }: Plan): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const one of repositories) {
    const tree = await findTree(directory, one.directory, one.type);
    if ('reason' in tree) findings.push({ kind: 'refused', about: `repository ${one.directory}`, what: tree.reason });
  }
  return findings;
}

async function writeAll(writing: RepositoryWriting, plan: Plan): Promise<void> {
  await writeUsers(writing, plan.users);
  await writeUserGroups(writing, plan.userGroups);
  await writePermissions(writing, plan);
  await writeRepoGroups(writing, plan.repoGroups);
  await writeRepositories(writing, plan.repositories);
}

/** Imports a source, or only says what an import would do. */
export async function importInstance(
  db: Database,
  vault: SecretVault,
  source: Source,
  { directory, target }: { readonly directory: string; readonly target: Target },
  options: ImportOptions,
): Promise<ImportReport> {
  await lockImports(db);
  const here = await loadHere(db, source.id);
  const firstAdminId = await findFirstAdminId(db);
  const plan = makePlan(source, here, { ...options, now: new Date() });
  const strays = await findStrays(directory, new Set(source.repositories.map(({ name }) => name)));
  if (options.isDryRun) {
    const findings = [...plan.findings, ...(await findMissing(directory, plan)), ...strays];
    return { plan, isDryRun: true, findings, written: null };
  }
  const findings: Finding[] = [...plan.findings];
  const sums = { created: 0, changed: 0, unchanged: 0 };
  const ids = { users: new Map(), userGroups: new Map(), repoGroups: new Map(), repositories: new Map() };
  const basis = { db, vault, here, source: source.id, firstAdminId, sums, ids };
  const writing = { ...basis, target, directory, worker: randomUUID(), findings, pending: [] };
  await writeAll(writing, plan);
  const { done: adopted, waiting } = await awaitAdoptions(db, writing.pending, {
    root: target.root,
    patienceMs: options.patienceMs,
    findings,
  });
  const written = { ...sums, repositories: { adopted, waiting } };
  return { plan, isDryRun: false, findings: [...findings, ...strays], written };
}
