import { randomUUID } from 'node:crypto';
import type { ServedName } from '@trunkline/contracts';
import { migrate, openDatabase, type OpenDatabase, type Transaction } from '@trunkline/db';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createLaneSlots } from '../../apps/vcs-worker/src/serve/admission/lane-slots.ts';
import type { Call } from '../../apps/vcs-worker/src/serve/calls/call.ts';
import { invoke } from '../../apps/vcs-worker/src/serve/calls/invoke.ts';
import { environmentOn, fewRows } from '../harness/call-environment.ts';
import { countStatements, type StatementCounter } from '../harness/statement-counter.ts';
import { openTestDatabase } from '../harness/test-database.ts';
import { uniqueAscii } from '../harness/unique-name.ts';
import { namingKey, revocations, rowsOfAnn, waiting, writes } from './rights-after-waits.table.ts';
import { lockedRows } from './locked-rows.ts';

const ip = '192.0.2.1';
let owner: OpenDatabase;
let worker: OpenDatabase;
let counter: StatementCounter;
let environment: Call['environment'];
/** A worker whose calls wait for a row until it is free. */
let patient: OpenDatabase;
let patientEnvironment: Call['environment'];

beforeAll(async () => {
  const { url, ownerUrl, workerUrl } = await openTestDatabase(inject('postgresUrl'), uniqueAscii('turns'));
  await migrate(ownerUrl);
  owner = openDatabase(url, { connectionsMax: 1, name: 'test' });
  for (const row of fewRows) await owner.db.execute(row);
  counter = await countStatements(workerUrl);
  worker = openDatabase(counter.url, { connectionsMax: 1, lockTimeoutMs: 50, name: 'test' });
  environment = environmentOn(worker, 1);
  patient = openDatabase(workerUrl, { connectionsMax: 1, lockTimeoutMs: 60_000, name: 'test' });
  // With few of its connections in use, a worker shortens no wait.
  patientEnvironment = environmentOn(patient, 8);
});
afterAll(async () => {
  await Promise.all([owner.close(), worker.close(), patient.close()]);
  await counter.close();
});

async function callAs(
  userId: number,
  method: ServedName,
  args: object,
  { from = ip, by = environment } = {},
): Promise<unknown> {
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
  return invoke(by, method, { request, slot, signal, deadline, noteRepository: () => {} });
}

/** Returns how many round trips a call takes when its connection has prepared its statements. */
async function roundTripsOf(userId: number, method: ServedName, args: object): Promise<number> {
  await callAs(userId, method, args);
  const before = counter.roundTrips;
  await callAs(userId, method, args);
  return counter.roundTrips - before;
}

it.each(writes)('%s %j is recorded with its repository', async (method, args, repositoryId) => {
  const recorded = async () =>
    owner.db.execute(`select outcome, repository_id, actor from audit_log where method = '${method}' order by id`);
  const before = await recorded();
  await callAs(2, method, args);
  const entry = { outcome: 'succeeded', repository_id: repositoryId, actor: 'root' };
  expect((await recorded()).slice(before.length)).toEqual([entry]);
});

it('a grant takes six round trips to the database', async () => {
  const args = { repoid: 'repo', userid: 'ann', perm: 'repository.write' };
  expect(await roundTripsOf(2, 'grant_user_permission', args)).toBe(6);
});

it('a lock is shown without an entry in the audit log', async () => {
  await callAs(2, 'lock', { repoid: 'repo', userid: 'ann', locked: true });
  const entries = () => owner.db.execute('select from audit_log');
  const before = await entries();
  expect(await callAs(2, 'lock', { repoid: 'repo' })).toMatchObject({ locked: true, locked_by: 'ann' });
  await callAs(2, 'unfollow_repo', { repoid: 'repo' });
  expect((await entries()).length - before.length).toBe(1);
  await callAs(2, 'lock', { repoid: 'repo', locked: false });
  expect(await callAs(2, 'lock', { repoid: 'repo' })).toMatchObject({ locked: false, locked_by: null });
});

it('a built-in key is not revoked, nor is one of another user', async () => {
  const keys = () => owner.db.execute('select id from api_keys where builtin order by id');
  const before = await keys();
  await expect(callAs(2, 'revoke_api_key', { api_key_id: 4, userid: 'bob' })).rejects.toThrow(
    'the built-in api key of user `bob` can only be reset',
  );
  expect(await callAs(2, 'revoke_api_key', { api_key_id: 4 })).toMatchObject({ success: false });
  await expect(callAs(4, 'revoke_api_key', { api_key_id: 2, userid: 'root' })).rejects.toThrow(
    'userid is not the same',
  );
  await expect(callAs(2, 'create_api_key', { userid: 'default' })).rejects.toThrow('editing default user is forbidden');
  expect(await keys()).toEqual(before);
});

const { retryWhileLocked, waitWhileLocked } = lockedRows({
  open: () => owner.db,
  statements: () => counter.statements,
});

it.each([
  ['grant_user_permission', { repoid: 'repo' }],
  ['grant_user_permission_to_repo_group', { repogroupid: 'group' }],
] as const)('%s refuses a text that names no level while the row of the user is locked', async (method, args) => {
  await owner.db.transaction(async (tx) => {
    await tx.execute('select from users where id = 3 for update');
    const refused = callAs(2, method, { ...args, userid: 'ann', perm: 'x' }, { by: patientEnvironment });
    await expect(refused).rejects.toThrow('permission `x` does not exist');
  });
});

/** Gives the name `to` to the object with the name `other`; what had it before gets another one. */
function passName(to: string, other: string) {
  return async (tx: Transaction) => {
    for (const [from, next] of [
      [to, `${to}-away`],
      [other, to],
    ]) {
      await tx.execute(`update names set path = '${next}' where path = '${from}'`);
    }
  };
}
/** Gives both names back. */
async function takeNameBack(to: string, other: string): Promise<void> {
  await owner.db.execute(`update names set path = '${other}' where path = '${to}'`);
  await owner.db.execute(`update names set path = '${to}' where path = '${to}-away'`);
}

const grantToAnn = ['grant_user_permission', { repoid: 'repo', userid: 'ann', perm: 'repository.admin' }] as const;
const ofAnn = { repoid: 'repo', userid: 'ann' };

it.each([
  ['repository', `repositories where name = 'repo'`, ...grantToAnn],
  ['user', 'users where id = 3', ...grantToAnn],
  ['level', 'user_repository_permissions where user_id = 3', 'revoke_user_permission', ofAnn],
  ['follower', 'followers where user_id = 3', 'unfollow_repo', ofAnn],
] as const)(
  'B8 C7 a call that is tried again while the row of a %s is locked changes no other repository of that name',
  async (_, row, method, args) => {
    for (const insert of rowsOfAnn) await owner.db.execute(insert);
    const call = () => callAs(2, method, args);
    const made = retryWhileLocked({ row, call, change: passName('repo', 'other') });
    await expect(made).rejects.toThrow('repository `repo` does not exist');
    const granted = 'select from user_repository_permissions where user_id = 3 and level = 4';
    expect(await owner.db.execute(granted)).toEqual([]);
    await takeNameBack('repo', 'other');
  },
);

const onGroup = { repogroupid: 'group', userid: 'ann', perm: 'group.admin' };
const grantedOnGroups = () =>
  owner.db.execute('select from user_repo_group_permissions where user_id = 3 and level = 4');

it.each([
  ['repository group', `repo_groups where name = 'group'`],
  ['user', 'users where id = 3'],
])(
  'B8 C7 a call that is tried again while the row of a %s is locked changes no other group of that name',
  async (_, row) => {
    const call = () => callAs(2, 'grant_user_permission_to_repo_group', onGroup);
    const made = retryWhileLocked({ row, call, change: passName('group', 'spare') });
    await expect(made).rejects.toThrow('repository group `group` does not exist');
    expect(await grantedOnGroups()).toEqual([]);
    await takeNameBack('group', 'spare');
  },
);

it.each(['none', 'all'])(
  'B8 who loses the right while a call waits for the group is refused (apply_to_children: %s)',
  async (below) => {
    const args = { ...onGroup, apply_to_children: below };
    const call = () => callAs(4, 'grant_user_permission_to_repo_group', args, { by: patientEnvironment });
    const lose = (tx: Transaction) => tx.execute('update user_repo_group_permissions set level = 3 where user_id = 4');
    const made = waitWhileLocked({ row: `repo_groups where name = 'group'`, call, change: lose });
    await expect(made).rejects.toThrow('repository group `group` does not exist');
    expect(await grantedOnGroups()).toEqual([]);
    await owner.db.execute('update user_repo_group_permissions set level = 4 where user_id = 4');
    expect(await call()).toMatchObject({ success: true });
    await owner.db.execute('delete from user_repo_group_permissions where user_id = 3');
  },
);

const written = () =>
  owner.db
    .execute(`select (select count(*) from audit_log where outcome = 'succeeded'), (select array_agg(row(k.*)::text) from api_keys k),
    (select count(*) from user_group_members), (select array_agg(row(p.*)::text) from user_global_permissions p),
    (select count(*) from followers), (select owner_id from repositories where id = 1),
    (select array_agg(row(p.*)::text order by user_id) from user_repository_permissions p)`);

/** Makes a call as `root` that waits for a row, while `root` loses a right for as long. */
async function loseWhileWaiting(right: string, row: string, call: () => Promise<unknown>) {
  for (const insert of rowsOfAnn) await owner.db.execute(insert);
  const before = await written();
  const set = (value: boolean) => `update users set ${right} = ${value} where id = 2`;
  const change = (tx: Transaction) => tx.execute(set(false));
  const [made] = await Promise.allSettled([waitWhileLocked({ row, call, change })]);
  await owner.db.execute(set(true));
  expect(await written()).toEqual(before);
  return made;
}

it.each(waiting)('B8 who loses the right while %s %j waits for a row of `%s` is refused', async (method, args, row) => {
  const made = await loseWhileWaiting('active', row, () => callAs(2, method, args, { by: patientEnvironment }));
  expect(made).toMatchObject({ status: 'rejected', reason: { message: 'Invalid API key' } });
});

it.each([
  ['reset_api_key', { userid: 'ann' }, 'users where id = 3', 'userid is not the same as your user'],
  ['create_api_key', namingKey, 'users where id = 3', 'userid is not the same as your user'],
  ['update_repo', { repoid: 'repo', owner: 'ann' }, 'repositories where id = 1', /^no permission to create/],
] as const)(
  'B8 who is no administrator any more when %s %j has waited may do no more than others',
  async (method, args, row, message) => {
    const made = await loseWhileWaiting('admin', row, () => callAs(2, method, args, { by: patientEnvironment }));
    expect(made).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(message) } });
  },
);

it.each(revocations)('%s %j is answered while the row of its holder is locked', async (method, args, holder) => {
  for (const insert of rowsOfAnn) await owner.db.execute(insert);
  await owner.db.transaction(async (tx) => {
    await tx.execute(`select from ${holder} for update`);
    expect(await callAs(2, method, args)).toMatchObject({ success: true });
  });
});

it('an answer has the name that its user has after the wait', async () => {
  const rename = (name: string) => `update users set username = '${name}', username_key = '${name}' where id = 3`;
  const made = waitWhileLocked({
    row: 'users where id = 3',
    call: () => callAs(2, 'create_api_key', { userid: 'ann' }, { by: patientEnvironment }),
    change: (tx) => tx.execute(rename('anna')),
  });
  expect(await made).toMatchObject({ msg: 'created api key for user `anna`' });
  await owner.db.execute(rename('ann'));
});

const grant = { repoid: 'repo', userid: 'root', perm: 'repository.admin' };
const setNetworks = (network: string) => owner.db.execute(`update user_ip_addresses set ip_addr = '${network}'`);

it('B12 nothing is done for a caller from another address, whatever list the worker knows', async () => {
  const levels = () => owner.db.execute('select user_id, level from user_repository_permissions order by 1');
  await callAs(3, 'revoke_user_permission', { repoid: 'repo', userid: 'root' });
  const before = await levels();
  await expect(callAs(3, 'grant_user_permission', grant, { from: '198.51.100.7' })).rejects.toThrow(
    'request from IP:198.51.100.7 not allowed',
  );
  await setNetworks('10.0.0.0/8');
  await expect(callAs(3, 'grant_user_permission', grant)).rejects.toThrow(`request from IP:${ip} not allowed`);
  expect(await levels()).toEqual(before);
});
