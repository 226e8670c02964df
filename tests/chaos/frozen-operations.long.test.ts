import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { clientTools } from '../harness/client-tools.ts';
import { CloningClient } from '../harness/cloner.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { freezableWorkers, stoppingAt, type FreezableWorkers } from '../harness/freezable-workers.ts';
import { holdUpdates } from '../harness/hold-updates.ts';
import { PushingClient } from '../harness/pusher.ts';
import { readOperations } from '../harness/read-operations.ts';
import { git, hg } from '../harness/remotes.ts';
import { standsStill } from '../harness/suspend.ts';
import { mainBranch } from '../harness/unique-name.ts';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let workers: FreezableWorkers;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-frozen-'));
  const env = { TRUNKLINE_LEASE_SECONDS: '3' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 3, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  workers = await freezableWorkers(cluster);
});
afterEach(() => workers.close());

async function deletionsOf(name: string) {
  const rows = await sql<{ id: string; state: string; attempt: number; error: string | null }[]>`
    select id, state, attempt, error from operations
      where kind = 'delete' and request->>'name' = ${name} order by created_at`;
  return rows.map((row) => ({ ...row }));
}

/** Has the database refuse the end of operations on repositories in this state, until the returned function is called. */
async function refuseEnds(state: 'creating' | 'deleting'): Promise<() => Promise<unknown>> {
  const change = state === 'creating' ? 'update of state' : 'delete';
  await sql.unsafe(`
    create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before ${change} on repositories for each row
      when (old.state = '${state}' and old.name like 'undone%') execute function refuse();`);
  return () => sql`drop trigger refuse on repositories`;
}

async function expectSound(): Promise<void> {
  await eventually(
    () => findInconsistencies(sql, cluster.storageRoot),
    (found) => found.length === 0,
  );
  expect(await findByteFaults(sql, cluster.storageRoot)).toEqual([]);
}

describe('C7 a worker that is frozen', { timeout: 150_000 }, () => {
  it('in the last step of delete_repo: no worker takes it over, and it ends once', async () => {
    const frozen = await workers.startFreezable();
    await admin.result('create_repo', { repo_name: 'doomed', repo_type: 'git' });
    const end = "new.state = 'done' and new.kind = 'delete'";
    const hold = await holdUpdates({ sql, databaseUrl: cluster.databaseUrl }, 'state on operations', end);
    const call = admin.call('delete_repo', { repoid: 'doomed' });
    await hold.reached();
    workers.freeze(frozen);
    await hold.release();
    await workers.start();
    const isOver = () =>
      sql`select 1 from operations where kind = 'delete' and lease_until < clock_timestamp() - interval '1 second'`;
    await eventually(isOver, (rows) => rows.length > 0);
    expect(await deletionsOf('doomed')).toMatchObject([{ state: 'running', attempt: 1 }]);
    workers.thaw(frozen);
    expect((await call).error).toBeNull();
    expect(await deletionsOf('doomed')).toMatchObject([{ state: 'done', attempt: 1 }]);
    await expectSound();
  });

  it('in delete_repo, before the move to the trash, while another one undoes the deletion: the repository stays', async () => {
    const frozen = await workers.startFreezable(stoppingAt('delete.fenced'));
    await admin.result('create_repo', { repo_name: 'kept', repo_type: 'git' });
    const call = admin.call('delete_repo', { repoid: 'kept' });
    await standsStill(frozen.pid);
    workers.cutOff();
    await workers.start();
    const [deletion] = await deletionsOf('kept');
    // No method cancels a deletion; a worker also undoes one whose attempts are used up.
    await sql`update operations set cancel_requested_at = now() where id = ${deletion?.id ?? ''}`;
    await eventually(
      () => cluster.logs(),
      (logs) => logs.includes(`an earlier attempt at operation ${deletion?.id} may still move its repository`),
    );
    workers.thaw(frozen);
    const [ended] = await eventually(
      () => deletionsOf('kept'),
      ([row]) => row?.state !== 'running',
    );
    expect(ended).toMatchObject({ state: 'failed', error: 'failed to delete repository `kept`' });
    // The thawed worker may answer before the other one has ended the operation.
    const unknown = `The outcome of operation ${deletion?.id} is not known yet, ask get_operation`;
    expect([ended?.error, unknown]).toContain((await call).error);
    await admin.result('get_repo_refs', { repoid: 'kept' });
    await expectSound();
  });
});

const undos: readonly (readonly ['deleting' | 'creating', string])[] = [
  ['deleting', 'undo-delete.fenced'],
  ['creating', 'undo-creation.cleared'],
];

describe('C7 a worker that is frozen in an undo, before it moves the repository', { timeout: 150_000 }, () => {
  it.each(undos)('of one that was %s, at %s: another one undoes it, and nothing moves later', async (state, point) => {
    const [name, isDeletion] = [`undone-${state}`, state === 'deleting'];
    const frozen = await workers.startFreezable(stoppingAt(point));
    const args = { repo_name: name, repo_type: 'git' };
    if (isDeletion) await admin.result('create_repo', args);
    const allow = await refuseEnds(state);
    const call = isDeletion ? admin.call('delete_repo', { repoid: name }) : admin.call('create_repo', args);
    await standsStill(frozen.pid);
    workers.cutOff();
    await workers.start();
    const find = () => readOperations(sql, isDeletion ? 'delete' : 'create', name);
    const newest = async () => (await find()).at(-1);
    const { id = '' } = (await newest()) ?? {};
    await sql`update operations set cancel_requested_at = now() where id = ${id}`;
    await eventually(
      () => cluster.logs(),
      (logs) => logs.includes(`an earlier attempt at operation ${id} may still move its repository`),
    );
    workers.thaw(frozen);
    const ended = await eventually(newest, (row) => row?.state !== 'running');
    const error = `failed to ${isDeletion ? 'delete' : 'create'} repository \`${name}\``;
    expect(ended).toMatchObject({ id, state: 'failed', error });
    const unknown = `The outcome of operation ${id} is not known yet, ask get_operation`;
    expect([error, unknown]).toContain((await call).error);
    await allow();
    await expectSound();
    if (isDeletion) await admin.result('get_repo_refs', { repoid: name });
    else await admin.result('create_repo', args);
    await expectSound();
  });
});

/** Makes a repository with two pushes, and has the worker that maintains it stand still at a point at which it holds it. */
async function freezeMaintenance(type: 'git' | 'hg', point: string) {
  // Its lease ends when the test ends it.
  const worker = await workers.startFreezable({ ...stoppingAt(point), TRUNKLINE_LEASE_SECONDS: '600' });
  const [name, path] = [`held-${type}`, join(directory, type)];
  await admin.result('create_repo', { repo_name: name, repo_type: type });
  if (type === 'git') await git(directory, 'init', '-q', '-b', mainBranch, path);
  else await hg(directory, 'init', path);
  const url = `http://api-key:${admin.apiKey}@${new URL(cluster.baseUrl).host}/${name}`;
  const pusher = new PushingClient(clientTools[type], { name, path, urls: [url] });
  for (let at = 0; at < 2; at += 1) await pusher.act();
  const call = admin.call('maintain_repo', { repoid: name });
  await standsStill(worker.pid);
  workers.cutOff();
  return { name, worker, pusher, cloner: new CloningClient(pusher, `${path}-clone`), call };
}

describe('C7 workers that are frozen while they hold a repository for maintenance', { timeout: 600_000 }, () => {
  const maintenancesOf = (name: string) => readOperations(sql, 'maintain', name);

  it('keep nobody from cloning, pushes are told why they fail, and nothing is lost or doubled later', async () => {
    const held = [await freezeMaintenance('git', 'maintain.added'), await freezeMaintenance('hg', 'maintain.tidying')];
    await workers.start();
    const acting = held.map(({ pusher, cloner }) => Promise.all([pusher.act(), cloner.act()]));
    await sql`update operations set lease_until = now() - interval '1 s' where kind = 'maintain' and state = 'running'`;
    await sql`update storages set sweep_lease_until = now() - interval '1 s'`;
    await Promise.all(acting);
    for (const { name, pusher, cloner } of held) {
      const [ended] = await eventually(
        () => maintenancesOf(name),
        ([row]) => row?.state !== 'running',
        90,
      );
      const why = 'another worker still writes to it';
      const error = `failed to maintain repository \`${name}\`: ${why}`;
      expect(ended).toMatchObject({ state: 'failed', attempt: 2, error });
      expect(pusher.failures).toEqual([expect.stringContaining(`${why}, push again later`)]);
      expect([cloner.succeeded, cloner.failures, cloner.faults]).toEqual([1, [], []]);
    }

    for (const { worker } of held) workers.thaw(worker);
    for (const { name, pusher, cloner, call } of held) {
      expect((await call).error).toBe((await maintenancesOf(name))[0]?.error);
      // The thawed worker may hold the repository for some moments.
      const repeat = () => pusher.act().then(() => pusher.told);
      await eventually(repeat, (told) => told > 2, 90);
      await cloner.act();
      expect(await cloner.findFaults()).toEqual([]);
      await admin.result('maintain_repo', { repoid: name });
      const states = async () => (await maintenancesOf(name)).map(({ state }) => state);
      await eventually(states, (found) => found.join() === 'failed,done', 90);
      expect(await pusher.findFaults(sql, cluster.storageRoots)).toEqual([]);
    }
    await expectSound();
  });
});
