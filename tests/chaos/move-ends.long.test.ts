import { subjects } from '@trunkline/contracts';
import { connectBus, createLogger, type Bus } from '@trunkline/runtime';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { CrashPoint } from '../../apps/vcs-worker/src/crash-points.ts';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { isNativeGitFetch, makeGitRemote, makeHgRemote, type Remote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

vi.setConfig({ testTimeout: 180_000 });

type Worker = Awaited<ReturnType<Cluster['startWorker']>>;
type Type = 'hg' | 'git';
const storages = ['default', 'second'] as const;
type Name = (typeof storages)[number];

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
/** A connection as that of a worker, to wake the sweepers. */
let bus: Bus;
let remotes: Record<Type, Remote>;
/** While false, the remote answers no request of git. */
let remoteOpen = true;
/** The one worker of each storage. */
const workers = new Map<Name, Worker>();

async function startWorkerOf(name: Name, more: Record<string, string> = {}): Promise<Worker> {
  const worker = await cluster.startWorker({
    TRUNKLINE_STORAGES: `${name}=${cluster.storageRoots[name]}`,
    TRUNKLINE_STORAGE_CREATE: name === 'second' ? name : '',
    ...more,
  });
  workers.set(name, worker);
  return worker;
}

/** Replaces the worker of a storage by one that dies at a crash point. */
async function arm(name: Name, point: CrashPoint): Promise<Worker> {
  await workers.get(name)?.stop();
  return startWorkerOf(name, { NODE_ENV: 'test', TRUNKLINE_CRASH_AT: point, TRUNKLINE_LOG_LEVEL: 'silent' });
}

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 0,
    storages: ['second'],
    env: { TRUNKLINE_FORK_WAIT: '25', TRUNKLINE_DRAIN_MOVES: '1' },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  const logger = createLogger({ role: 'test', level: 'silent' });
  bus = await connectBus({ url: cluster.nats.workerUrl, name: 'test', logger });
  remotes = {
    hg: await makeHgRemote(),
    git: await makeGitRemote({ intercept: (request) => isNativeGitFetch(request) && !remoteOpen }),
  };
  for (const type of ['hg', 'git'] as const) await remotes[type].commit({ 'a/b': '1', [someFile]: '2' });
  for (const name of storages) await startWorkerOf(name);
});
afterAll(async () => {
  await bus.close();
  await sql.end();
  await cluster.kill();
  await Promise.all([remotes.hg.close(), remotes.git.close()]);
});

const make = (repo_name: string, repo_type: Type) =>
  admin.result('create_repo', { repo_name, repo_type, clone_uri: remotes[repo_type].url, storage: 'default' });

async function storageOf(name: string): Promise<string> {
  const [row] = await sql<{ storage: string }[]>`
    select s.name as storage from repositories r join storages s on s.id = r.storage_id where r.name = ${name}`;
  return row?.storage ?? 'none';
}

/** Ends the leases that a killed worker has left, and waits until nothing half done is left. */
async function settle(): Promise<void> {
  await sql`update operations set lease_until = now() - interval '1 s' where state = 'running'`;
  await sql`update storages set sweep_lease_until = now() - interval '1 s'`;
  const look = () => {
    // The next sweep would come after some seconds.
    bus.publish(subjects.operationReleased);
    return findInconsistencies(sql, cluster.storageRoots);
  };
  await eventually(look, (found) => found.length === 0, 90);
}

const ofSource: readonly [CrashPoint, Type][] = [
  ['move.copied', 'git'],
  ['move.published', 'hg'],
  ['move.begun', 'hg'],
  ['move.taken', 'git'],
  ['move.sent', 'hg'],
  ['move.checked', 'git'],
  ['move.committing', 'git'],
];
const ofTarget: readonly [CrashPoint, Type][] = [
  ['copy.received', 'hg'],
  ['publish.moved', 'git'],
  ['publish.synced', 'hg'],
];

/** Calls whose worker was killed; their gateway asks for the outcome some time later. */
const cutOff: ReturnType<Client['call']>[] = [];

describe('C6 one end of a move is killed', () => {
  it.each(ofSource)('at %s, the source, of %s: another worker makes the move anew', async (point, type) => {
    const name = `source-${point.replace('.', '-')}`;
    await make(name, type);
    const armed = await arm('default', point);
    cutOff.push(admin.call('move_repo', { repoid: name, storage: 'second' }));
    expect(await armed.exited).toBe('SIGKILL');
    await startWorkerOf('default');
    await settle();
    expect(await storageOf(name)).toBe('second');
    expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);
  });

  it.each(ofTarget)(
    'at %s, the target, of %s: the repository stays where it was, and can be moved again',
    async (point, type) => {
      const name = `target-${point.replace('.', '-')}`;
      await make(name, type);
      const armed = await arm('second', point);
      const args = { repoid: name, storage: 'second' };
      const call = admin.call('move_repo', args);
      expect(await armed.exited).toBe('SIGKILL');
      expect((await call).error).toBe(
        `failed to move repository \`${name}\` to storage \`second\`: the storage is not available`,
      );
      expect(await storageOf(name)).toBe('default');
      await startWorkerOf('second');
      await settle();
      expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);
      expect((await admin.call('move_repo', args)).error).toBeNull();
      expect(await storageOf(name)).toBe('second');
    },
  );

  it('of a storage that is drained: the move is made again as soon as the target is back', async () => {
    await make('drained', 'git');
    const armed = await arm('second', 'copy.received');
    await admin.result('update_storage', { storage: 'default', state: 'draining' });
    bus.publish(subjects.operationReleased);
    expect(await armed.exited).toBe('SIGKILL');
    const failed = () => sql`select 1 from operations where request->>'name' = 'drained' and state = 'failed'`;
    await eventually(failed, (rows) => rows.length > 0);
    await startWorkerOf('second');
    await sql`update storages set sweep_lease_until = now() - interval '1 s' where name = 'second'`;
    await eventually(
      () => storageOf('drained'),
      (name) => name === 'second',
      120,
    );
    await admin.result('update_storage', { storage: 'default', state: 'active' });
    await settle();
  });
});

it('C7 what was pulled where the repository no longer is does not count', async () => {
  await make('late', 'git');
  await remotes.git.commit({ [someFile]: '3' });
  const tipOf = async () => {
    const [row] = await sql`select last_changeset->>'rawId' as tip, generation from repositories where name = 'late'`;
    return { ...row };
  };
  const before = await tipOf();
  remoteOpen = false;
  const call = admin.call('pull', { repoid: 'late' });
  const pulls = () => sql<{ id: string }[]>`
    select id from operations where kind = 'pull' and request->>'name' = 'late' and state = 'running'`;
  await eventually(pulls, (rows) => rows.length > 0);
  // As a move does that this pull knows nothing of.
  await sql`update repositories set epoch = epoch + 1 where name = 'late'`;
  remoteOpen = true;
  expect((await call).error).toMatch(/^The outcome of operation \S+ is not known yet/);
  expect(await tipOf()).toEqual(before);
  await sql`update repositories set epoch = epoch - 1 where name = 'late'`;
  await settle();
  expect((await admin.call('pull', { repoid: 'late' })).error).toBeNull();
});

it('C6 the callers of moves whose worker was killed are told nothing that is wrong', async () => {
  for (const { error } of await Promise.all(cutOff)) expect(error ?? 'The outcome').toMatch(/^The outcome/);
});

it('C6 a restoration that is ended while its storage is away can be made later', async () => {
  await make('back', 'git');
  const { repo_id: id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: 'back' });
  await admin.result('delete_repo', { repoid: 'back' });
  const armed = await arm('default', 'restore.moved');
  const call = admin.call('restore_repo', { id });
  expect(await armed.exited).toBe('SIGKILL');
  await admin.result('update_storage', { storage: 'default', state: 'offline' });
  const [running] = await sql<{ id: string }[]>`
    update operations set lease_until = now() where kind = 'restore' and state = 'running' returning id`;
  await admin.result('cancel_operation', { operation_id: running?.id });
  // The gateway may have read the operation's row before.
  expect((await call).error).toMatch(/^(failed to restore repository `back`|The outcome of operation)/);
  expect(await storageOf('back')).toBe('none');
  await admin.result('update_storage', { storage: 'default', state: 'active' });
  await startWorkerOf('default');
  // The bytes are returned to the trash, by which the repository can be restored again.
  await settle();
  expect((await admin.call('restore_repo', { id })).error).toBeNull();
  expect(await findByteFaults(sql, cluster.storageRoots, 'back')).toEqual([]);
  await settle();
});
