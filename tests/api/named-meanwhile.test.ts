import type { TransactionSql } from 'postgres';
import { describe, expect, it } from 'vitest';
import type { ReplyEnvelope } from '@trunkline/contracts';
import { eventually } from '../harness/eventually.ts';
import { admin, makeRepository, sql, uniqueName } from '../harness/shared-cluster.ts';

/** Makes a call, and a change between the call's check of rights and its acting. */
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

const calls: [method: string, args: Record<string, unknown>][] = [
  ['delete_repo', {}],
  ['update_repo', { name: 'anything' }],
  ['update_repo', { description: 'anything' }],
  ['fork_repo', { fork_name: 'anything' }],
  ['lock', {}],
  ['lock', { locked: true }],
  ['pull', {}],
];

describe('C7 between the check of rights and the acting', () => {
  it.each(calls)('renamed: %s %j by name finds it no more, and does nothing', async (method, args) => {
    const [name, other] = [await makeRepository('git'), uniqueName('renamed')];
    const reply = await callAcross(name, () => admin.call(method, { repoid: name, ...args }), rename(name, other));
    expect(reply.error).toBe(`repository \`${name}\` does not exist`);
    expect(await admin.result('get_repo', { repoid: other })).toMatchObject({ description: name });
    expect(await admin.result('lock', { repoid: other })).toMatchObject({ locked: false });
  });

  it.each(calls)('deleted: %s %j finds it no more', async (method, args) => {
    const name = await makeRepository('git');
    const reply = await callAcross(name, () => admin.call(method, { repoid: name, ...args }), remove(name));
    expect(reply.error).toBe(`repository \`${name}\` does not exist`);
  });

  it('renamed: a call that names it by id goes on with the new name', async () => {
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
