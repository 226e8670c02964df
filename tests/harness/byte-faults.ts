import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { git, hg } from './remotes.ts';

interface Stored {
  readonly name: string;
  readonly type: 'hg' | 'git';
  readonly storage: string;
  readonly storagePath: string;
  readonly needsRecovery: boolean;
  readonly tip: string | null;
}

/** Root directories of storages by name. */
type Roots = Readonly<Record<string, string>>;

const checks = {
  hg: async (path: string) => {
    await hg(path, 'verify', '-q');
    const tip = (await hg(path, 'log', '-r', 'tip', '-T', '{node}')).trim();
    return /^0*$/.test(tip) ? [] : [tip];
  },
  git: async (path: string) => {
    await git(path, 'fsck', '--strict', '--full');
    return (await git(path, 'for-each-ref', '--format=%(objectname)', 'refs/heads')).split('\n').filter(Boolean);
  },
} as const;

/** Checks a copy after the repair that the next write begins with: a write that was cut off has left a transaction. */
async function checkRepaired(path: string): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-repaired-'));
  try {
    const copy = join(directory, 'copy');
    await cp(path, copy, { recursive: true });
    for (const lock of ['.hg/store/lock', '.hg/wlock']) await rm(join(copy, lock), { force: true });
    await hg(copy, 'recover', '--no-verify').catch(ignoreNothingToRecover);
    return await checks.hg(copy);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Ends with 1 where no transaction was interrupted. */
function ignoreNothingToRecover(error: unknown): void {
  if (!String(error).includes('no interrupted transaction available')) throw error;
}

async function faultsOf(storageRoot: string, one: Stored): Promise<string[]> {
  try {
    const path = join(storageRoot, one.storagePath);
    const isHurt = one.needsRecovery && one.type === 'hg';
    const tips = isHurt ? await checkRepaired(path) : await checks[one.type](path);
    // Changesets of a pull that was cut off are recorded by the next pull.
    if (one.needsRecovery || (one.tip === null ? tips.length === 0 : tips.includes(one.tip))) return [];
    return [`${one.name} has ${tips.join(' and ') || 'nothing'}, and is said to have ${one.tip}`];
  } catch (error) {
    return [`${one.name} is broken: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/**
 * Checks the ready repositories whose names begin with `prefix` by hg verify and git fsck, and compares their tips with
 * the recorded tips. One root is that of the storage `default`. Returns one text for each repository that is broken or differs.
 */
export async function findByteFaults(sql: Sql, stored: string | Roots, prefix = ''): Promise<string[]> {
  const roots: Roots = typeof stored === 'string' ? { default: stored } : stored;
  const rows = await sql<Stored[]>`
    select r.name, r.type, s.name as storage, r.storage_path as "storagePath", r.needs_recovery as "needsRecovery",
      r.last_changeset->>'rawId' as tip from repositories r join storages s on s.id = r.storage_id
      where r.state = 'ready' and starts_with(r.name, ${prefix})`;
  const faults: string[] = [];
  for (const one of rows) faults.push(...(await faultsOf(roots[one.storage] ?? '', one)));
  return faults;
}
