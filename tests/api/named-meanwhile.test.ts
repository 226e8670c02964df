import type { TransactionSql } from 'postgres';
import { beforeAll, describe, expect, it } from 'vitest';
import { findMethod, type ReplyEnvelope } from '@trunkline/contracts';
import { eventually } from '../harness/eventually.ts';
import { admin, makeRepository, makeUser, sql, uniqueName } from '../harness/shared-cluster.ts';

/** Makes a call, and commits a change between the call's check of rights and its own change. */
async function callAcross(
  name: string,
  call: () => Promise<ReplyEnvelope>,
  change: (tx: TransactionSql) => Promise<unknown>,
): Promise<ReplyEnvelope> {
  let reply: Promise<ReplyEnvelope> | undefined;
  await sql.begin(async (tx) => {
    await tx`select 1 from repositories where name = ${name} for update`;
    const [own] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    reply = call();
    const waiting = () => sql`select 1 from pg_stat_activity where ${own?.pid ?? 0} = any(pg_blocking_pids(pid))`;
    await eventually(waiting, (rows) => rows.length > 0);
    await change(tx);
  });
  if (!reply) throw new Error('nothing was called');
  return reply;
}

const rename = (from: string, to: string) => (tx: TransactionSql) =>
  tx`update names set path = ${to} where path = ${from}`;

const remove = (name: string) => async (tx: TransactionSql) => {
  await tx`delete from repositories where name = ${name}`;
  await tx`delete from names where path = ${name}`;
};

const group = uniqueName('group');
const calls: [method: string, args: Record<string, unknown>][] = [
  ['delete_repo', {}],
  ['update_repo', { name: 'anything' }],
  ['update_repo', { description: 'anything' }],
  ['fork_repo', { fork_name: 'anything' }],
  ['lock', {}],
  ['lock', { locked: true }],
  ['pull', {}],
  ['grant_user_permission', { userid: 'admin', perm: 'repository.read' }],
  ['revoke_user_permission', { userid: 'default' }],
  ['grant_user_group_permission', { usersgroupid: group, perm: 'repository.read' }],
  ['revoke_user_group_permission', { usersgroupid: group }],
  ['invalidate_cache', {}],
  ['follow_repo', {}],
];

beforeAll(() => admin.result('create_user_group', { group_name: group }));

/** Returns all that the calls could have changed. */
const stateOf = async (name: string) => [
  ...(await sql`select row(r.private, r.description, r.locked_by_id, r.generation)::text as row
    from repositories r where name = ${name}`),
  ...(await sql`select user_id, level from user_repository_permissions
    where repository_id = (select id from repositories where name = ${name}) order by user_id`),
  ...(await sql`select user_group_id from user_group_repository_permissions
    where repository_id = (select id from repositories where name = ${name})`),
  ...(await sql`select user_id from followers
    where repository_id = (select id from repositories where name = ${name}) order by user_id`),
];

describe('B8 C7 when between the check of rights and the change', () => {
  it.each(calls)(
    'the repository is renamed: %s %j by the old name does not find it, and changes nothing',
    async (method, args) => {
      const [name, other] = [await makeRepository('git'), uniqueName('renamed')];
      const before = await stateOf(name);
      const reply = await callAcross(name, () => admin.call(method, { repoid: name, ...args }), rename(name, other));
      expect(reply.error).toBe(`repository \`${name}\` does not exist`);
      expect(await stateOf(other)).toEqual(before);
    },
  );

  it.each(calls)('the repository is replaced by another of its name: %s %j changes neither', async (method, args) => {
    const [name, other, away] = [await makeRepository('git'), await makeRepository('git'), uniqueName('away')];
    const before = [await stateOf(name), await stateOf(other)];
    const reply = await callAcross(
      name,
      () => admin.call(method, { repoid: name, ...args }),
      async (tx) => {
        await rename(name, away)(tx);
        await rename(other, name)(tx);
      },
    );
    expect(reply.error).toBe(`repository \`${name}\` does not exist`);
    expect([await stateOf(away), await stateOf(name)]).toEqual(before);
  });

  it.each(calls)(
    'forbidden: %s %j by a caller who has just lost the right is refused, and does nothing',
    async (method, args) => {
      const isAdminOnly = findMethod(method)?.permission.caller === 'admin';
      const name = await makeRepository('git', { private: true });
      const ann = await makeUser({ admin: isAdminOnly });
      const before = await stateOf(name);
      const perm = 'repository.admin';
      if (!isAdminOnly) await admin.result('grant_user_permission', { repoid: name, userid: ann.id, perm });
      const reply = await callAcross(
        name,
        () => ann.client.call(method, { repoid: name, ...args }),
        (tx) =>
          isAdminOnly
            ? tx`update users set admin = false where id = ${ann.id}`
            : tx`delete from user_repository_permissions where user_id = ${ann.id}`,
      );
      const missing = `repository \`${name}\` does not exist`;
      expect(reply.error).toBe(isAdminOnly ? 'Access was denied to this resource.' : missing);
      expect(await stateOf(name)).toEqual(before);
    },
  );

  it('the caller is deactivated: the call is refused, and changes nothing', async () => {
    const [name, ann] = [await makeRepository('git', { private: true }), await makeUser({ admin: true })];
    const before = await stateOf(name);
    const grant = { repoid: name, userid: 'default', perm: 'repository.admin' };
    const reply = await callAcross(
      name,
      () => ann.client.call('grant_user_permission', grant),
      (tx) => tx`update users set active = false where id = ${ann.id}`,
    );
    expect(reply.error).toBe('Invalid API key');
    expect(await stateOf(name)).toEqual(before);
  });

  it.each(calls)('the repository is deleted: %s %j does not find it', async (method, args) => {
    const name = await makeRepository('git');
    const reply = await callAcross(name, () => admin.call(method, { repoid: name, ...args }), remove(name));
    expect(reply.error).toBe(`repository \`${name}\` does not exist`);
  });

  it('the repository is renamed: a call by id continues with the new name', async () => {
    const [name, other, last] = [await makeRepository('hg'), uniqueName('renamed'), uniqueName('last')];
    const { repo_id: repoid } = await admin.result<{ repo_id: number }>('get_repo', { repoid: name });
    const update = () => admin.call('update_repo', { repoid, name: last });
    expect(await callAcross(name, update, rename(name, other))).toMatchObject({
      result: { msg: `updated repo ID:${repoid} ${last}` },
    });
    const forget = () => admin.call('delete_repo', { repoid });
    expect(await callAcross(last, forget, rename(last, other))).toMatchObject({
      result: { msg: `Deleted repository \`${other}\`` },
    });
    expect(await admin.result('get_repo', { repoid })).toBeNull();
  });
});
