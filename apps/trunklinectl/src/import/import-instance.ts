import { randomUUID } from 'node:crypto';
import { findFirstAdminId, foldCase, type Database, type SecretVault } from '@trunkline/db';
import { RefusedError } from '../errors.ts';
import { whileRepositories, type Shown } from '../show-progress.ts';
import type { Target } from './bytes/choose-target.ts';
import { findStrays, findTree } from './bytes/find-tree.ts';
import type { Finding } from './plan/finding.ts';
import { importedId, type Here, type ImportedKind } from './plan/here.ts';
import { makePlan, type PlanOptions } from './plan/make-plan.ts';
import type { Plan } from './plan/plan.ts';
import type { ImportReport } from './report.ts';
import type { Source } from './source/source.ts';
import { awaitAdoptions } from './write/await-adoptions.ts';
import { createDigests } from './write/secrets.ts';
import { loadHere, settleArrivals } from './write/imported-store.ts';
import { lockImports, type Writing } from './write/writing.ts';
import { writePermissions } from './write/write-permissions.ts';
import { writeRepoGroups } from './write/write-repo-groups.ts';
import { writeRepositories, type RepositoryWriting } from './write/write-repositories.ts';
import { writeUserGroups } from './write/write-user-groups.ts';
import { writeUsers } from './write/write-users.ts';

export interface ImportOptions extends Omit<PlanOptions, 'now'> {
  readonly isDryRun: boolean;
  /** Milliseconds for which no adoption may end before the import stops to wait. */
  readonly patienceMs: number;
  readonly shown: Shown;
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

/** Returns the ids here of what was imported before, also of what this run refuses and of what the source has no more. */
function knownIds(here: Here): Writing['ids'] {
  const idsOf = (kind: ImportedKind) => {
    const sourceIds = [...here.imported.keys()].flatMap((key) => {
      const [kindOfKey, id] = key.split(' ');
      return kindOfKey === kind ? [Number(id)] : [];
    });
    return new Map(
      sourceIds.flatMap((id): [number, number][] => {
        const objectId = importedId(here, kind, id);
        return objectId === null ? [] : [[id, objectId]];
      }),
    );
  };
  return {
    users: idsOf('user'),
    userGroups: idsOf('user_group'),
    repoGroups: idsOf('repo_group'),
    repositories: idsOf('repository'),
  };
}

/** Tells what a run does without that is based on one by an earlier build. */
function tellFormer({ hasFormerRows }: Here): Finding[] {
  const what =
    'an earlier build has not recorded its members, followers and keys: those that the source has added or removed since stay as they are here';
  return hasFormerRows ? [{ kind: 'differs', about: 'the last import', what }] : [];
}

function findDefaultUser({ usernames }: Here): number {
  const [id] = [...usernames].find(([, name]) => foldCase(name) === 'default') ?? [];
  if (id === undefined) throw new RefusedError('the instance has no user `default`: start a worker first');
  return id;
}

async function writeAll(writing: RepositoryWriting, plan: Plan, shown: Shown): Promise<void> {
  await writeUsers(writing, plan.users);
  await writeUserGroups(writing, plan.userGroups);
  await writePermissions(writing, plan);
  await writeRepoGroups(writing, plan.repoGroups);
  await whileRepositories(shown, plan.repositories.length, 'brought to workers', ({ count }) =>
    writeRepositories(writing, plan.repositories, count),
  );
}

/** Imports a source, or only says what an import would do. */
export async function importInstance(
  db: Database,
  vault: SecretVault,
  source: Source,
  { directory, target }: { readonly directory: string; readonly target: Target },
  options: ImportOptions,
): Promise<ImportReport> {
  const requireLock = await lockImports(db);
  if (!options.isDryRun) await settleArrivals(db, source.id);
  const here = await loadHere(db, source.id);
  const firstAdminId = await findFirstAdminId(db);
  if (firstAdminId === undefined)
    throw new RefusedError('the instance has no administrator: create one with create-admin');
  const plan = makePlan(source, here, { ...options, now: new Date() });
  const strays = await findStrays(directory, new Set(source.repositories.map(({ name }) => name)));
  if (options.isDryRun) {
    const findings = [...plan.findings, ...(await findMissing(directory, plan)), ...strays];
    return { plan, isDryRun: true, findings, written: null };
  }
  const findings: Finding[] = [...plan.findings, ...tellFormer(here)];
  const sums = { created: 0, changed: 0, unchanged: 0 };
  const basis = {
    db,
    requireLock,
    vault,
    digests: createDigests(vault),
    here,
    source: source.id,
    firstAdminId,
    defaultUserId: findDefaultUser(here),
    sums,
    findings,
  };
  const writing = { ...basis, ids: knownIds(here), target, directory, worker: randomUUID(), pending: [] };
  await writeAll(writing, plan, options.shown);
  const { done: adopted, waiting } = await awaitAdoptions(db, writing.pending, {
    target,
    patienceMs: options.patienceMs,
    findings,
    shown: options.shown,
  });
  await settleArrivals(db, source.id);
  const written = { ...sums, repositories: { adopted, waiting } };
  return { plan, isDryRun: false, findings: [...findings, ...strays], written };
}
