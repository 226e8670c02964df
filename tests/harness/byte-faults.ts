import { join } from 'node:path';
import type { Sql } from 'postgres';
import { git, hg } from './remotes.ts';

interface Stored {
  readonly name: string;
  readonly type: 'hg' | 'git';
  readonly storagePath: string;
  readonly needsRecovery: boolean;
  readonly tip: string | null;
}

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

async function faultsOf(storageRoot: string, one: Stored): Promise<string[]> {
  try {
    const tips = await checks[one.type](join(storageRoot, one.storagePath));
    // Changesets of a pull that was cut off are recorded by the next pull.
    if (one.needsRecovery || (one.tip === null ? tips.length === 0 : tips.includes(one.tip))) return [];
    return [`${one.name} has ${tips.join(' and ') || 'nothing'}, and is said to have ${one.tip}`];
  } catch (error) {
    return [`${one.name} is broken: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/**
 * Checks the ready repositories whose names begin with `prefix` by hg verify and git fsck, and compares their tips with
 * the recorded tips. Returns one text for each repository that is broken or differs.
 */
export async function findByteFaults(sql: Sql, storageRoot: string, prefix = ''): Promise<string[]> {
  const rows = await sql<Stored[]>`
    select name, type, storage_path as "storagePath", needs_recovery as "needsRecovery",
      last_changeset->>'rawId' as tip from repositories where state = 'ready' and starts_with(name, ${prefix})`;
  const faults: string[] = [];
  for (const one of rows) faults.push(...(await faultsOf(storageRoot, one)));
  return faults;
}
