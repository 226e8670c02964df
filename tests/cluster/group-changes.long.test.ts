import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { waitingForLocks } from '../harness/waiting-for-locks.ts';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 2 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 3, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

const waiting = () => waitingForLocks(sql);

/** Creates a group with the statements of create_repo_group; keeps the transaction open while `meanwhile` begins. */
async function whileCreating(above: string, name: string, meanwhile: () => Promise<unknown>): Promise<void> {
  const begun = await sql.begin(async (tx) => {
    const [group] = await tx<{ id: number; name: string; owner: number }[]>`
      select id, name, owner_id as owner from repo_groups where name = ${above} for key share`;
    if (!group) throw new Error(`no group ${above}`);
    const call = meanwhile();
    call.catch(() => {});
    await eventually(waiting, (rows) => rows.length > 0);
    const path = `${above}/${name}`;
    await tx`insert into names (path, kind) values (${path}, 'group')`;
    await tx`insert into repo_groups (name, parent_id, owner_id) values (${path}, ${group.id}, ${group.owner})`;
    return { call };
  });
  await begun.call;
}

describe('a group that is changed while another is created below it', () => {
  it('renamed: the group that is being created gets the new name, at any depth', async () => {
    await admin.result('create_repo', { repo_name: 'old/sub/x' });
    await whileCreating('old/sub', 'late', () =>
      admin.result('update_repo_group', { repogroupid: 'old', group_name: 'new' }),
    );
    expect(await admin.result('get_repo_group', { repogroupid: 'new/sub/late' })).toMatchObject({
      parent_group: 'new/sub',
    });
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('deleted: refused, as the group is not empty any more', async () => {
    await admin.result('create_repo_group', { group_name: 'full' });
    await whileCreating('full', 'late', async () => {
      expect(await admin.error('delete_repo_group', { repogroupid: 'full' })).toMatch(/^failed to delete repo group/);
    });
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('two groups moved below each other at once: one move succeeds', async () => {
    // The slower move finds its target renamed or below itself; neither transaction is aborted by a deadlock.
    const refusal = expect.stringMatching(/does not exist$|^failed to update repo group/);
    for (let round = 0; round < 10; round += 1) {
      const [left, right] = [`left-${round}`, `right-${round}`];
      for (const group_name of [left, right]) await admin.result('create_repo_group', { group_name });
      const replies = await Promise.all([
        admin.call('update_repo_group', { repogroupid: left, parent: right }),
        admin.call('update_repo_group', { repogroupid: right, parent: left }),
      ]);
      expect(replies.map(({ error }) => error ?? '')).toEqual(expect.arrayContaining(['', refusal]));
    }
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('many concurrent changes: every name matches its group, without a deadlock', async () => {
    const errors: (string | null)[] = [];
    const call = async (method: string, args: object) => {
      errors.push((await admin.call(method, args)).error);
    };
    for (let round = 0; round < 12; round += 1) {
      const top = `crowd-${round}`;
      await admin.result('create_repo', { repo_name: `${top}/sub/one` });
      await admin.result('create_repo', { repo_name: `${top}/two` });
      await admin.result('create_repo_group', { group_name: `${top}/empty` });
      await Promise.all([
        call('create_repo', { repo_name: `${top}/sub/three`, repo_type: 'git' }),
        call('update_repo_group', { repogroupid: top, group_name: `${top}-renamed` }),
        call('create_repo', { repo_name: `${top}/empty/four` }),
        call('delete_repo_group', { repogroupid: `${top}/empty` }),
        call('update_repo', { repoid: `${top}/two`, name: 'five' }),
        call('update_repo', { repoid: `${top}/sub/one`, group: top }),
        call('delete_repo', { repoid: `${top}/two` }),
        call('update_repo_group', { repogroupid: `${top}/sub`, parent: '', group_name: `${top}-sub` }),
        call('create_repo_group', { group_name: `${top}/sub/six` }),
        call('create_repo', { repo_name: `${top}/new/refused`, clone_uri: 'http://127.0.0.1:1/x', repo_type: 'git' }),
      ]);
    }
    const expected = /does not exist$|^failed to (delete|update|create) repo/;
    expect(errors.filter((error) => error !== null && !expected.test(error))).toEqual([]);
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });
});
