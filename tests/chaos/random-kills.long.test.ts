import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ReplyEnvelope } from '@trunkline/contracts';
import postgres from 'postgres';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { startActing } from '../harness/acting.ts';
import { findAuditGaps, findMiscounted } from '../harness/audit-replay.ts';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { CloningClient } from '../harness/cloner.ts';
import { clientTools } from '../harness/client-tools.ts';
import { PushingClient } from '../harness/pusher.ts';
import { chosenSeed, seededRandom, type Random } from '../harness/random.ts';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import type { Fixture, LoadCall } from '../harness/load-calls.ts';
import { compareWithApi, findContradictions, wrongAnswers } from '../harness/load-checks.ts';
import { makeFixture } from '../harness/load-fixture.ts';
import { startMover } from '../harness/mover.ts';
import { runLoad, type LoadResult } from '../harness/load.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';

const kills = Number(process.env['TRUNKLINE_TEST_KILLS'] ?? 4);
const killsARound = 2;
const callsARound = 200;
/** Milliseconds that a client waits for a reply after a kill; a lost reply would take half a minute to time out. */
const patienceMs = 4_000;

type Remotes = Readonly<Record<'hg' | 'git', Remote>>;

let cluster: Cluster;
let sql: postgres.Sql;
let remotes: Remotes | undefined;
let directory = '';
/** Clients that push into a repository of each system, and clients that clone it. */
let pushers: PushingClient[] = [];
let cloners: CloningClient[] = [];

afterEach(async () => {
  await sql.end();
  await cluster.kill();
  await Promise.all([remotes?.hg.close(), remotes?.git.close()]);
  await rm(directory, { recursive: true, force: true });
});

/** Number of moves by outcome. */
const moves = new Map<string, number>();

interface InFlight {
  giveUp: () => void;
}
const inFlight = new Set<InFlight>();

/** Makes a call; returns null when it was given up before its reply arrived. */
async function ask(client: Client, { method, args }: LoadCall): Promise<ReplyEnvelope | null> {
  const one: InFlight = { giveUp: () => {} };
  inFlight.add(one);
  const givenUp = new Promise<null>((resolve) => (one.giveUp = () => resolve(null)));
  try {
    // A call that fails after the cluster has stopped is ignored.
    return await Promise.race([client.call(method, args).catch(() => null), givenUp]);
  } finally {
    inFlight.delete(one);
  }
}

/** Kills a worker and starts another one; gives up the calls that were in flight and are not answered soon. */
async function killOne(alive: Cluster['workers'][number][], random: Random): Promise<void> {
  const [victim] = alive.splice(random.below(alive.length), 1);
  await victim?.kill();
  const waiting = [...inFlight];
  const [next] = await Promise.all([cluster.startWorker(), wait(patienceMs)]);
  for (const one of waiting) one.giveUp();
  alive.push(next);
}

interface Commit {
  readonly rawId: string;
  readonly at: number;
}

const newest: Record<'hg' | 'git', Commit[]> = { hg: [], git: [] };

async function commitToBoth(): Promise<void> {
  for (const type of ['hg', 'git'] as const) {
    const rawId = await remotes?.[type].commit({ [someFile]: String(newest[type].length) });
    if (rawId !== undefined) newest[type].push({ rawId, at: performance.now() });
  }
}

/** Finds changesets that an acknowledged pull should have brought, and that are missing. */
async function findUnpulled(results: readonly LoadResult[]): Promise<string[]> {
  const faults: string[] = [];
  for (const type of ['hg', 'git'] as const) {
    const name = `source-${type}`;
    const pulls = results.filter(({ call, error }) => {
      return call.method === 'pull' && call.args['repoid'] === name && error === null;
    });
    const last = Math.max(...pulls.map(({ invoked }) => invoked));
    const due = newest[type].findLast(({ at }) => at <= last);
    if (!due) continue;
    const [row] = await sql<{ path: string; storage: string }[]>`
      select r.storage_path as path, s.name as storage
        from repositories r join storages s on s.id = r.storage_id where r.name = ${name}`;
    const path = `${cluster.storageRoots[row?.storage ?? '']}/${row?.path}`;
    const look =
      type === 'hg'
        ? hg(path, 'log', '-r', due.rawId)
        : git(path, 'merge-base', '--is-ancestor', due.rawId, mainBranch);
    await look.catch((error: unknown) => faults.push(`${name} lacks ${due.rawId}: ${String(error)}`));
  }
  return faults;
}

/** Refusals of what certainly did not run: workers were killed, or the machine has more to do. */
const refusals = ['Service is temporarily unavailable, try again later', 'Service is busy, try again later'];

/** Returns whether a call has failed since a worker was killed, or since the machine is busy. */
function isCutOff({ call, error }: LoadResult): boolean {
  return refusals.includes(error ?? '') || (call.method === 'pull' && error?.endsWith(': timed out') === true);
}

/** Finds differences between replies, database, audit log and storage; calls that were given up may still run. */
async function findFaults(admin: Client, results: readonly LoadResult[]): Promise<string[]> {
  const cheap = [
    ...(await findInconsistencies(sql, cluster.storageRoots)),
    ...(await findContradictions(sql)),
    ...(await findAuditGaps(sql)),
  ];
  if (cheap.length > 0) return cheap;
  const effective = results.filter(({ error, responded }) => error === null || responded === Infinity);
  const writes = effective.map(({ call, error }) => ({ ...call, acknowledged: error === null }));
  return [
    ...(await findMiscounted(
      sql,
      writes.filter(({ method }) => !method.startsWith('get_')),
    )),
    ...(await compareWithApi(admin, results)).faults,
    ...(await findUnpulled(results)),
    ...(await Promise.all(pushers.map((pusher) => pusher.findFaults(sql, cluster.storageRoots)))).flat(),
    ...(await Promise.all(cloners.map((cloner) => cloner.findFaults()))).flat(),
    ...(await findByteFaults(sql, cluster.storageRoots)),
  ];
}

async function round(
  fixture: Fixture,
  clients: readonly [Client, ...Client[]],
  random: Random,
  alive: Cluster['workers'][number][],
) {
  await commitToBoth();
  const event = () => 10 + random.below(callsARound - 20);
  const events = new Map<number, () => Promise<unknown>>([[event(), commitToBoth]]);
  for (let kill = 0; kill < killsARound; kill += 1) events.set(event(), () => killOne(alive, random));
  const mover = startMover(sql, (call) => ask(clients[0], call), ['default', 'second'], random);
  // Programs cost much more than calls, so that each client waits for another one.
  const acting = pushers.map((pusher, at) => startActing([pusher, ...cloners.filter((_, of) => of !== at)]));
  const results = await runLoad({ clients, fixture, calls: callsARound, seed: random.below(2 ** 31), events, ask });
  for (const [outcome, count] of await mover.stop()) moves.set(outcome, (moves.get(outcome) ?? 0) + count);
  await Promise.all(acting.map((one) => one.stop()));
  return results;
}

/** Makes a repository, and the client that pushes into it. */
async function makePusher(admin: Client, type: 'hg' | 'git'): Promise<PushingClient> {
  const name = `pushed-${type}`;
  await admin.result('create_repo', { repo_name: name, repo_type: type });
  const path = join(directory, type);
  if (type === 'git') await git(directory, 'init', '-q', '-b', mainBranch, path);
  else await hg(directory, 'init', path);
  const urlAt = (baseUrl = '') => `http://api-key:${admin.apiKey}@${new URL(baseUrl).host}/${name}`;
  const [first, second] = cluster.baseUrls;
  return new PushingClient(clientTools[type], { name, path, urls: [urlAt(first), urlAt(second)] });
}

describe('workers that are killed at any moment, while clients create, fork, pull, push, clone, rename, delete, grant and move', () => {
  it(
    `C6 C7 E14 of ${kills} kills nothing is lost, half done or unrecorded`,
    async () => {
      const seed = chosenSeed();
      const random = seededRandom(seed, 0);
      cluster = await startCluster({
        postgresUrl: inject('postgresUrl'),
        gateways: 2,
        workers: 3,
        storages: ['second'],
        env: {
          TRUNKLINE_LEASE_SECONDS: '3',
          TRUNKLINE_TRANSFER_TIMEOUT: '30',
          TRUNKLINE_MOVED_COPY_SECONDS: '1',
          // Repositories are maintained all the time.
          TRUNKLINE_MAINTENANCE: 'true',
          TRUNKLINE_MAINTENANCE_CHANGES: '1',
        },
      });
      sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
      const admin = createClient(cluster.baseUrl, cluster.adminKey);
      const clientOf = (at: number) => createClient(cluster.baseUrls[at % 2] ?? '', cluster.adminKey);
      const others = Array.from({ length: 19 }, (_, at) => clientOf(at));
      const clients = [clientOf(1), ...others] as const;
      remotes = { hg: await makeRemote.hg(), git: await makeRemote.git() };
      await commitToBoth();
      const fixture = await makeFixture(admin, remotes);
      directory = await mkdtemp(join(tmpdir(), 'trunkline-kills-'));
      pushers = [await makePusher(admin, 'git'), await makePusher(admin, 'hg')];
      cloners = pushers.map((pusher) => new CloningClient(pusher, `${pusher.target.path}-clone`));
      const alive = [...cluster.workers];
      const results: LoadResult[] = [];
      for (let killed = 0; killed < kills; killed += killsARound) {
        results.push(...(await round(fixture, clients, random, alive)));
        expect(wrongAnswers(results.filter((one) => one.responded < Infinity && !isCutOff(one)))).toEqual([]);
        const look = () => findFaults(admin, results).catch((error: unknown) => [String(error)]);
        await eventually(look, (found) => found.length === 0, 120);
      }
      const pushes = pushers.map(({ target, told, pushed }) => `${told} of ${pushed.length} into ${target.name}`);
      const clones = cloners.map(({ succeeded }) => succeeded);
      console.log(`pushes: ${pushes.join(', ')}; clones and fetches of these: ${clones.join(', ')}`);
      expect(Math.min(...pushers.map(({ told }) => told), ...clones)).toBeGreaterThan(0);
      console.log(`moves: ${JSON.stringify(Object.fromEntries(moves))}`);
      expect(moves.get('moved')).toBeGreaterThan(0);
      expect([...moves.keys()].filter((outcome) => outcome.includes('Internal'))).toEqual([]);
      const [row] = await sql<{ done: number; failed: number }[]>`
        select count(*) filter (where state = 'done')::int as done, count(*) filter (where state = 'failed')::int as failed
          from operations where kind = 'maintain'`;
      console.log(`maintenances: ${JSON.stringify(row)}`);
      expect(row?.done).toBeGreaterThan(0);
    },
    120_000 + kills * 30_000,
  );
});
