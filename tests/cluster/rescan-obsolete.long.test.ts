import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { makeHgOnDisk } from '../harness/repositories-on-disk.ts';
import { holdUpdates } from '../harness/hold-updates.ts';
import { nothing, openRescanBench, type RescanBench } from '../harness/rescan-bench.ts';

const failed = 'Error occurred during rescan repositories action';

let bench: RescanBench;

beforeAll(async () => {
  bench = await openRescanBench(inject('postgresUrl'));
});
afterEach(() => bench.empty());
afterAll(() => bench.close());

/** Creates repositories and deletes their bytes; returns their names. */
async function loseRepositories(count: number): Promise<string[]> {
  const lost = Array.from({ length: count }, (_, index) => `lost${String(index).padStart(2, '0')}`);
  for (const name of lost) await bench.admin.result('create_repo', { repo_name: name, repo_type: 'git' });
  await rm(bench.at('@repos'), { recursive: true });
  return lost;
}

describe('rescan_repos removes', () => {
  it('repositories without bytes when asked, and detaches their forks', async () => {
    const [lost = '', kept = ''] = await loseRepositories(2);
    await makeHgOnDisk(bench.at('kept'));
    await bench.rescan();
    await bench.sql`update repositories set fork_of_id = (select id from repositories where name = ${lost}) where name = 'kept'`;
    expect(await bench.rescan()).toEqual(nothing);
    expect(await bench.rescan({ remove_obsolete: 'true' })).toEqual({ added: [], removed: [lost, kept] });
    expect(await bench.admin.result('get_repo', { repoid: lost })).toBeNull();
    expect(await bench.admin.result('get_repo', { repoid: 'kept' })).toMatchObject({ fork_of: null });
    expect(await readdir(bench.at('@trash'))).toEqual([]);
    await bench.admin.result('create_repo', { repo_name: lost, repo_type: 'hg' });
  });

  it('C5 nothing when more than ten and more than a tenth are gone, unless forced', async () => {
    const lost = await loseRepositories(11);
    await makeHgOnDisk(bench.at('new'));
    for (const remove_obsolete of [true, false]) {
      expect(await bench.admin.error('rescan_repos', { remove_obsolete })).toBe(failed);
    }
    // The caller's rights were checked in a separate transaction, which was committed.
    const [audited] = await bench.admin.result<object[]>('get_audit_log', { method: 'rescan_repos', limit: 1 });
    expect(audited).toMatchObject({ outcome: 'failed', error: failed });
    expect(await bench.names()).toEqual(lost);
    expect(await bench.rescan({ force: true })).toEqual({ added: ['new'], removed: [] });
    expect(await bench.rescan({ force: true, remove_obsolete: true })).toEqual({ added: [], removed: lost });
    expect(await bench.names()).toEqual(['new']);
  });

  it('C5 ten of ten, which is within the limit of ten', async () => {
    const lost = await loseRepositories(10);
    expect(await bench.rescan({ remove_obsolete: true })).toEqual({ added: [], removed: lost });
  });

  it.each(['no marker', 'a foreign marker'])('C5 nothing from a storage with %s, forced or not', async (which) => {
    await bench.admin.result('create_repo', { repo_name: 'made', repo_type: 'git' });
    await makeHgOnDisk(bench.at('new'));
    const away = `${bench.cluster.storageRoot}-away`;
    await rename(bench.cluster.storageRoot, away);
    await mkdir(bench.at('@trash'), { recursive: true });
    if (which !== 'no marker') await writeFile(bench.at('.trunkline-storage'), 'another\n');
    for (const args of [{}, { remove_obsolete: true }, { remove_obsolete: true, force: true }]) {
      expect(await bench.admin.error('rescan_repos', args)).toBe(failed);
    }
    expect(await bench.names()).toEqual(['made']);
    await rm(bench.cluster.storageRoot, { recursive: true });
    await rename(away, bench.cluster.storageRoot);
    expect(await bench.rescan({ remove_obsolete: true })).toEqual({ added: ['new'], removed: [] });
  });

  it('C5 nothing, and adopts nothing, without a marker, also when the database has no repositories', async () => {
    await makeHgOnDisk(bench.at('new'));
    await rename(bench.at('.trunkline-storage'), bench.at('.away'));
    expect(await bench.admin.error('rescan_repos')).toBe(failed);
    await rename(bench.at('.away'), bench.at('.trunkline-storage'));
    expect(await bench.rescan()).toEqual({ added: ['new'], removed: [] });
  });

  it('no repository whose bytes another call brought back meanwhile', async () => {
    await bench.admin.result('create_repo', { repo_name: 'made', repo_type: 'hg' });
    const path = await bench.pathOf('made');
    await rename(path, bench.at('.away'));
    const database = { sql: bench.sql, databaseUrl: bench.cluster.databaseUrl };
    const hold = await holdUpdates(database, 'state on repositories');
    try {
      const removal = bench.rescan({ remove_obsolete: true });
      await hold.reached();
      await rename(bench.at('.away'), path);
      await hold.release();
      expect(await removal).toEqual(nothing);
    } finally {
      await bench.sql`drop function hold cascade`;
    }
    expect(await bench.names()).toEqual(['made']);
    expect(await readdir(bench.at('@trash'))).toEqual([]);
  });
});

describe('rescan_repos', () => {
  it('is for administrators', async () => {
    await bench.admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
    const { api_key } = await bench.admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
    const error = await createClient(bench.cluster.baseUrl, api_key).error('rescan_repos');
    expect(error).toBe('Access was denied to this resource.');
  });

  it('refuses a value that is no boolean', async () => {
    expect(await bench.admin.error('rescan_repos', { force: 'perhaps' })).toBe(
      'Invalid value for `force`: must be a boolean',
    );
  });
});
