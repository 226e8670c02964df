import { randomUUID } from 'node:crypto';
import type { ServedName } from '@trunkline/contracts';
import { migrate, openDatabase, type OpenDatabase } from '@trunkline/db';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createLaneSlots } from '../../apps/vcs-worker/src/admission/lane-slots.ts';
import { WriteTransactions } from '../../apps/vcs-worker/src/admission/write-transactions.ts';
import { KnownNetworks } from '../../apps/vcs-worker/src/authz/known-networks.ts';
import type { Call } from '../../apps/vcs-worker/src/calls/call.ts';
import { invoke } from '../../apps/vcs-worker/src/calls/invoke.ts';
import type { Tools } from '../../apps/vcs-worker/src/methods/context.ts';
import { eventually } from '../harness/eventually.ts';
import { uniqueName } from '../harness/shared-cluster.ts';
import { countStatements, type StatementCounter } from '../harness/statement-counter.ts';
import { openTestDatabase } from '../harness/test-database.ts';

const ip = '192.0.2.1';
const identity = 'overriding system value';
const rows = [
  `insert into users (id, username, username_key, admin) ${identity}
    values (1, 'default', 'default', false), (2, 'root', 'root', true), (3, 'ann', 'ann', true)`,
  `insert into api_keys (id, user_id, mac, sealed, secret_id) ${identity} values (2, 2, '2', '', ''), (3, 3, '3', '', '')`,
  `insert into user_ip_addresses (user_id, ip_addr) values (3, '192.0.2.0/24')`,
  `insert into user_groups (id, name, name_key, owner_id) ${identity} values (1, 'devs', 'devs', 2)`,
  `insert into storages (id, name) values ('00000000-0000-4000-8000-000000000001', 'default')`,
  `insert into names (path, kind) values ('repo', 'repository'), ('other', 'repository')`,
  `insert into repositories (id, uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics) ${identity}
    select n, gen_random_uuid(), name, 'hg', 'ready', '00000000-0000-4000-8000-000000000001', name, true, '', 2,
      'tip', true, true, true from (values (1, 'repo'), (2, 'other')) r (n, name)`,
];

let owner: OpenDatabase;
let worker: OpenDatabase;
let counter: StatementCounter;
let environment: Call['environment'];

beforeAll(async () => {
  const { url, ownerUrl, workerUrl } = await openTestDatabase(inject('postgresUrl'), uniqueName('turns'));
  await migrate(ownerUrl);
  owner = openDatabase(url, { connectionsMax: 1, name: 'test' });
  for (const row of rows) await owner.db.execute(row);
  counter = await countStatements(workerUrl);
  worker = openDatabase(counter.url, { connectionsMax: 1, lockTimeoutMs: 50, name: 'test' });
  environment = {
    // The methods called here need no tools.
    tools: {} as Tools,
    db: worker.db,
    networks: new KnownNetworks(),
    transactions: new WriteTransactions({
      transact: (act) => worker.db.transaction(act),
      pool: worker.db,
      connections: 1,
      stopping: new AbortController().signal,
    }),
    bytes: null,
    dataPort: null,
    waitForOperationEnd: async () => {},
    stopping: new AbortController().signal,
  };
});
afterAll(async () => {
  await Promise.all([owner.close(), worker.close()]);
  await counter.close();
});

async function callAs(userId: number, method: ServedName, args: object, from = ip): Promise<unknown> {
  const slot = createLaneSlots(1).tryTake('caller');
  if (!slot) throw new Error('no slot is free');
  const request = {
    method,
    args,
    caller: { userId, ip: from, credential: { kind: 'key', id: userId } },
    callerKey: 'caller',
    requestId: randomUUID(),
    timeoutMs: 60_000,
    sentAt: Date.now(),
  } as const;
  const deadline = performance.now() + 60_000;
  const signal = new AbortController().signal;
  return invoke(environment, method, { request, slot, signal, deadline, noteRepository: () => {} });
}

/** Returns how many statements a call costs when its connection has prepared them. */
async function costOf(userId: number, method: ServedName, args: object): Promise<number> {
  await callAs(userId, method, args);
  const before = counter.statements;
  await callAs(userId, method, args);
  return counter.statements - before;
}

const onRepository: [method: ServedName, args: object][] = [
  ['grant_user_permission', { repoid: 'repo', userid: 'ann', perm: 'repository.write' }],
  ['revoke_user_permission', { repoid: 1, userid: 3 }],
  ['grant_user_group_permission', { repoid: 'repo', usersgroupid: 'devs', perm: 'repository.read' }],
  ['revoke_user_group_permission', { repoid: 'repo', usersgroupid: 1 }],
  ['lock', { repoid: 'repo', locked: true }],
  ['lock', { repoid: 'repo', userid: 'ann', locked: false }],
  ['follow_repo', { repoid: 'repo' }],
];
const onHolders: [method: ServedName, args: object][] = [
  ['add_user_to_user_group', { usersgroupid: 'devs', userid: 'ann' }],
  ['remove_user_from_user_group', { usersgroupid: 1, userid: 3 }],
  ['grant_global_permission', { userid: 'ann', perm: 'hg.create.repository' }],
  ['grant_global_permission', { usersgroupid: 'devs', perm: 'hg.create.repository' }],
  ['revoke_global_permission', { userid: 3, perm: 'hg.create.repository' }],
  ['revoke_global_permission', { usersgroupid: 1, perm: 'hg.create.repository' }],
];
const writes = [
  ...onRepository.map((call) => [...call, 1] as const),
  ...onHolders.map((call) => [...call, null] as const),
];

it.each(writes)('%s %j takes one round trip to the database, and is recorded', async (method, args, repositoryId) => {
  const recorded = async () =>
    owner.db.execute(`select outcome, repository_id, actor from audit_log where method = '${method}' order by id`);
  const before = await recorded();
  expect(await costOf(2, method, args)).toBe(1);
  const entry = { outcome: 'succeeded', repository_id: repositoryId, actor: 'root' };
  expect((await recorded()).slice(before.length)).toEqual([entry, entry]);
});

it('B8 C7 a call that is tried again while the row is locked does not change another repository of that name', async () => {
  let pending: Promise<unknown> | undefined;
  await owner.db.transaction(async (tx) => {
    await tx.execute(`select from repositories where name = 'repo' for update`);
    const before = counter.statements;
    pending = callAs(2, 'grant_user_permission', { repoid: 'repo', userid: 'ann', perm: 'repository.admin' });
    pending.catch(() => {});
    await eventually(
      async () => counter.statements - before,
      (statements) => statements > 3,
    );
    for (const [from, to] of [
      ['repo', 'away'],
      ['other', 'repo'],
    ]) {
      await tx.execute(`update names set path = '${to}' where path = '${from}'`);
    }
    // No attempt is to be under way: one that waits when the row is free finds that by the lock alone.
    const waiting = async () => {
      await tx.execute('select pg_stat_clear_snapshot()');
      return tx.execute(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    };
    await eventually(waiting, (rows) => rows.length === 0);
  });
  await expect(pending).rejects.toThrow('repository `repo` does not exist');
  expect(await owner.db.execute('select from user_repository_permissions where user_id = 3 and level = 4')).toEqual([]);
});

const grant = { repoid: 'repo', userid: 'root', perm: 'repository.admin' };
const setNetworks = (network: string) => owner.db.execute(`update user_ip_addresses set ip_addr = '${network}'`);

it('B12 a caller with a list of addresses takes a second one while the worker does not know the list', async () => {
  expect(await costOf(3, 'grant_user_permission', grant)).toBe(1);
  await setNetworks('192.0.0.0/16');
  const before = counter.statements;
  await callAs(3, 'grant_user_permission', grant);
  expect(counter.statements - before).toBe(2);
});

it('B12 nothing is done for a caller from another address, whatever list the worker knows', async () => {
  const levels = () => owner.db.execute('select user_id, level from user_repository_permissions order by 1');
  await callAs(3, 'revoke_user_permission', { repoid: 'repo', userid: 'root' });
  const before = await levels();
  await expect(callAs(3, 'grant_user_permission', grant, '198.51.100.7')).rejects.toThrow(
    'request from IP:198.51.100.7 not allowed',
  );
  await setNetworks('10.0.0.0/8');
  await expect(callAs(3, 'grant_user_permission', grant)).rejects.toThrow(`request from IP:${ip} not allowed`);
  expect(await levels()).toEqual(before);
});
