import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplyEnvelope } from '@trunkline/contracts';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { freezableWorkers, stoppingAt, type FreezableWorkers } from '../harness/freezable-workers.ts';
import { git, hg, isNativeGitFetch, makeGitRemote, makeHgRemote, makeRemote, type Remote } from '../harness/remotes.ts';
import { readOperations, type OperationRow } from '../harness/read-operations.ts';
import { standsStill } from '../harness/suspend.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';

/** Points of a push at which its worker is frozen, and how the push ends. */
const pushPoints: ['git' | 'hg', string, 'failed' | 'done'][] = [
  ['git', 'push.moved', 'failed'],
  ['hg', 'push.closing', 'failed'],
  ['git', 'push.begun', 'failed'],
  ['git', 'push.changed', 'done'],
  ['hg', 'push.changed', 'done'],
];
/** Points at which a push has begun to change its repository: who takes it over needs the lock, and ends it later. */
const lockedPoints = ['push.closing', 'push.changed'];

type Worker = Cluster['workers'][number];

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let directory: string;
let workers: FreezableWorkers;
let remote: Remote | undefined;

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 0,
    env: { TRUNKLINE_LEASE_SECONDS: '3', TRUNKLINE_TRANSFER_TIMEOUT: '30', TRUNKLINE_FORK_WAIT: '25' },
  });
  // This worker takes over operations, and serves no call that changes a repository.
  await cluster.startWorker({ TRUNKLINE_LANES: 'download' });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 3, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-frozen-'));
  workers = await freezableWorkers(cluster);
});
afterEach(async () => {
  await workers.close();
  await remote?.close();
  remote = undefined;
  await rm(directory, { recursive: true, force: true });
});

const at = (name: string) => join(directory, name);
const shut = () => writeFile(at('shut'), '');
const open = () => rm(at('shut'), { force: true });
const isReached = () =>
  eventually(
    async () => existsSync(at('reached')),
    (reached) => reached,
  );
/** Returns the shell command that waits while the gate is shut. */
const gate = () =>
  `[ ! -e ${at('shut')} ] || { touch ${at('reached')}; while [ -e ${at('shut')} ]; do sleep 0.05; done; }`;

/** Writes a program that waits at the gate when its arguments match `pattern`, and then runs `command`. */
async function gated(name: string, pattern: string, command: readonly string[]): Promise<string> {
  const words = command.map((word) => `'${word}'`).join(' ');
  const script = `#!/bin/sh\ncase " $* " in ${pattern}) ${gate()};; esac\nexec ${words} "$@"\n`;
  await writeFile(at(name), script, { mode: 0o755 });
  return at(name);
}

const operationsOf = (kind: string, name: string) => readOperations(sql, kind, name);

/** Waits until the operation is in this state, and expects that it was taken over once. */
async function endedByAnother(kind: string, name: string, state: string): Promise<OperationRow> {
  const [row] = await eventually(
    () => operationsOf(kind, name),
    ([first]) => first?.state === state,
  );
  if (!row) throw new Error('no operation');
  expect(row.attempt).toBe(2);
  return row;
}

/** Expects that the caller receives the outcome, and that the operation is as before the worker was thawed. */
async function expectRecordedOutcome(call: Promise<ReplyEnvelope>, kind: string, name: string, ended: OperationRow) {
  expect((await call).error).toBe(ended.error);
  expect((await operationsOf(kind, name))[0]).toEqual(ended);
  const [row] = await sql`select outcome from audit_log where request_id = ${ended.id}`;
  expect(row?.['outcome']).toBe(ended.state === 'done' ? 'succeeded' : 'failed');
}

async function expectSound(): Promise<void> {
  await eventually(
    () => findInconsistencies(sql, cluster.storageRoot),
    (found) => found.length === 0,
  );
  expect(await findByteFaults(sql, cluster.storageRoot)).toEqual([]);
}

/** Expects that a pull fails while the frozen worker's tool still runs, and that pulls succeed once it is thawed. */
async function expectPullsApart(frozen: Worker, name: string, call: Promise<ReplyEnvelope>): Promise<void> {
  const ended = await endedByAnother('pull', name, 'failed');
  expect(await admin.error('pull', { repoid: name })).toBe(`Unable to pull changes from \`${name}\``);
  workers.thaw(frozen);
  await expectRecordedOutcome(call, 'pull', name, ended);
  await open();
  const rawId = await remote?.commit({ [someFile]: '3' });
  await admin.result('pull', { repoid: name });
  expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ last_changeset: { raw_id: rawId } });
  await expectSound();
}

/**
 * Freezes the worker in the middle of the call, expects that another one does the call, and then lets the frozen worker
 * and its tools continue.
 */
async function expectDoneByAnother(
  frozen: Worker,
  kind: string,
  name: string,
  call: Promise<ReplyEnvelope>,
): Promise<void> {
  await isReached();
  workers.freeze(frozen);
  const ended = await endedByAnother(kind, name, 'done');
  await open();
  workers.thaw(frozen);
  await expectRecordedOutcome(call, kind, name, ended);
  await expectSound();
}

/** Makes a repository and begins a push into it, which gives what its client says: null for success. */
async function beginPush(type: 'git' | 'hg', name: string): Promise<{ id: string; push: Promise<string | null> }> {
  await admin.result('create_repo', { repo_name: name, repo_type: type });
  remote = await makeRemote[type]();
  const id = await remote.commit({ [someFile]: '1' });
  const url = `http://api-key:${admin.apiKey}@${new URL(cluster.baseUrl).host}/${name}`;
  const { directory: work } = remote;
  const push = type === 'git' ? git(work, 'push', '-q', url, `HEAD:${mainReference}`) : hg(work, 'push', '-q', url);
  return { id, push: push.then(() => null, String) };
}

describe(
  'C7 a worker that is frozen while another one takes its operation over, and thawed afterwards',
  { timeout: 150_000 },
  () => {
    it('in a pull, while its hg writes: no other process writes meanwhile', async () => {
      remote = await makeHgRemote();
      await remote.commit({ [someFile]: '1' });
      await writeFile(at('hook'), `${gate()}\n`);
      const held = [...toolCommand('TRUNKLINE_HG_COMMAND', 'hg'), `--config=hooks.pretxnclose.gate=sh ${at('hook')}`];
      const frozen = await workers.startFreezable({ TRUNKLINE_HG_COMMAND: JSON.stringify(held) });
      await admin.result('create_repo', { repo_name: 'pulled-hg', repo_type: 'hg', clone_uri: remote.url });
      await remote.commit({ [someFile]: '2' });
      await shut();
      const call = admin.call('pull', { repoid: 'pulled-hg' });
      await isReached();
      workers.freeze(frozen);
      await workers.start();
      await expectPullsApart(frozen, 'pulled-hg', call);
    });

    it('in a pull, while its git waits: git is killed, and the next pull brings all', async () => {
      const held = { open: true, asked: 0 };
      remote = await makeGitRemote({
        intercept: (request) => {
          if (held.open || !isNativeGitFetch(request)) return false;
          held.asked += 1;
          return true;
        },
      });
      await remote.commit({ [someFile]: '1' });
      const frozen = await workers.startFreezable();
      await admin.result('create_repo', { repo_name: 'pulled-git', repo_type: 'git', clone_uri: remote.url });
      await remote.commit({ [someFile]: '2' });
      held.open = false;
      const call = admin.call('pull', { repoid: 'pulled-git' });
      await eventually(
        async () => held.asked,
        (asked) => asked > 0,
      );
      workers.freeze(frozen);
      held.open = true;
      await workers.start();
      await expectPullsApart(frozen, 'pulled-git', call);
    });

    it('in create_repo, before its hg builds: what it builds is removed', async () => {
      const hg = await gated('hg', '*" serve "*', toolCommand('TRUNKLINE_HG_COMMAND', 'hg'));
      const frozen = await workers.startFreezable({ TRUNKLINE_HG_COMMAND: JSON.stringify([hg]) });
      await shut();
      const call = admin.call('create_repo', { repo_name: 'group/made', repo_type: 'hg' });
      await expectDoneByAnother(frozen, 'create', 'group/made', call);
    });

    it('in an import, before the move from staging: what is staged is removed', async () => {
      remote = await makeHgRemote();
      await remote.commit(Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`file${index}`, 'x'])));
      await gated('sync', '*', ['/bin/sync']);
      const frozen = await workers.startFreezable({ PATH: `${directory}:${process.env['PATH']}` });
      await shut();
      const call = admin.call('create_repo', { repo_name: 'imported', repo_type: 'hg', clone_uri: remote.url });
      await expectDoneByAnother(frozen, 'import', 'imported', call);
    });

    it('in a fork, before its git copies: the copy is removed', async () => {
      const gatedGit = await gated('git', '*" clone "*', toolCommand('TRUNKLINE_GIT_COMMAND', 'git'));
      const frozen = await workers.startFreezable({ TRUNKLINE_GIT_COMMAND: JSON.stringify([gatedGit]) });
      await admin.result('create_repo', { repo_name: 'source', repo_type: 'git' });
      await shut();
      const call = admin.call('fork_repo', { repoid: 'source', fork_name: 'fork' });
      await expectDoneByAnother(frozen, 'fork', 'fork', call);
    });

    it.each(pushPoints)(
      'F4 in a push of %s, at %s: the push has %s, whatever the worker does later',
      async (type, point, state) => {
        const frozen = await workers.startFreezable(stoppingAt(point));
        const name = `pushed-${type}-${point.replace('.', '-')}`;
        const { id, push } = await beginPush(type, name);
        await standsStill(frozen.pid);
        workers.cutOff();
        const isTakenOver = (row?: OperationRow) =>
          lockedPoints.includes(point) ? (row?.attempt ?? 0) > 1 : row?.state === state;
        await eventually(
          () => operationsOf('push', name),
          ([row]) => isTakenOver(row),
          90,
        );
        workers.thaw(frozen);
        const refused = await push;
        const [ended] = await eventually(
          () => operationsOf('push', name),
          ([row]) => row?.state !== 'running',
          90,
        );
        await expectSound();
        expect(ended?.state).toBe(state);
        expect(state === 'done' || refused !== null).toBe(true);
        const audited = await sql`select outcome from audit_log where request_id = ${ended?.id ?? ''}`;
        expect(audited.map(({ outcome }) => outcome)).toEqual([state === 'done' ? 'succeeded' : 'failed']);
        const tip = state === 'done' ? id : '0'.repeat(40);
        expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ last_changeset: { raw_id: tip } });
      },
    );

    it('E4 before it received a call: a call that its client has given up is not run later', async () => {
      const frozen = await workers.start();
      process.kill(frozen.pid, 'SIGSTOP');
      const late = { username: 'late', email: 'late@example.com' };
      const text = await admin.error('create_user', late);
      const [, id] = /^The outcome of operation (\S+) is not known yet/.exec(text) ?? [];
      workers.thaw(frozen);
      await eventually(
        () => cluster.logs(),
        (logs) => logs.includes('its time limit passed while this worker was not running'),
      );
      expect(await admin.error('get_operation', { operation_id: id })).toBe(`operation \`${id}\` does not exist`);
      expect(await sql`select 1 from users where username = 'late'`).toHaveLength(0);
      await admin.result('create_user', late);
    });
  },
);

it('E8 a worker that is told to stop while a push becomes visible ends the push, and its client is told', async () => {
  // No other worker may take the push over, however long this takes.
  const stopped = await workers.start({ ...stoppingAt('push.begun'), TRUNKLINE_LEASE_SECONDS: '600' });
  const { id, push } = await beginPush('git', 'pushed-meanwhile');
  await standsStill(stopped.pid);
  process.kill(stopped.pid, 'SIGTERM');
  process.kill(stopped.pid, 'SIGCONT');
  expect(await push).toBeNull();
  await stopped.exited;
  expect(await operationsOf('push', 'pushed-meanwhile')).toMatchObject([{ state: 'done', attempt: 1 }]);
  const tips = await sql`select last_changeset->>'rawId' as tip from repositories where name = 'pushed-meanwhile'`;
  expect(tips).toEqual([{ tip: id }]);
}, 150_000);
