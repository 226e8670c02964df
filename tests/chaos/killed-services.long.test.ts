import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findAuditGaps, findMiscounted } from '../harness/audit-replay.ts';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { chosenSeed, seededRandom } from '../harness/random.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import type { Fixture } from '../harness/load-calls.ts';
import { compareWithApi, findContradictions, wrongAnswers } from '../harness/load-checks.ts';
import { createLoadEndpoint, isNothingRan, type LoadEndpoint, type Known } from '../harness/load-endpoint.ts';
import { makeFixture } from '../harness/load-fixture.ts';
import { runLoad, type LoadResult } from '../harness/load.ts';
import { someFile } from '../harness/unique-name.ts';

const unavailable = 'Service is temporarily unavailable, try again later';
const clientsPerEndpoint = 8;
/** Milliseconds, more than calls of the lane `metadata` may take and than a lease lasts. */
const longerThanCallsMs = 6_000;
/** Milliseconds between two calls of a client, where the calls only have to go on. */
const pauseMs = 150;

const seed = chosenSeed();
const seeds = seededRandom(seed, 0);
let cluster: Cluster;
let sql: postgres.Sql;
let gateways: readonly Cluster['gateways'][number][];
let remotes: Readonly<Record<'hg' | 'git', Remote>>;
let fixture: Fixture;
let known: Known[];
/** The results of all calls to the cluster; its audit log has all changes, too. */
const results: LoadResult[] = [];
const unknownIds: string[] = [];
/** The pids of processes that have exited, and of those that were killed. */
const ended: number[] = [];
const killed: number[] = [];

interface EndpointOutcome extends Pick<LoadEndpoint, 'excuses' | 'wrongReads'> {
  readonly results: readonly LoadResult[];
}

const Operation = v.object({ state: v.string() });

function watch({ pid, exited }: Cluster['workers'][number]): void {
  void exited.then(() => ended.push(pid));
}

/** Reads the content of a source, which no call of the load changes. */
async function readSource(admin: Client, repoid: string): Promise<Known> {
  const args = { repoid, revision: 'tip', root_path: '/' };
  const result = await admin.result('get_repo_nodes', args);
  expect(JSON.stringify(result)).toContain('read.me');
  return { method: 'get_repo_nodes', args, result };
}

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 2,
    workers: 2,
    env: { TRUNKLINE_LEASE_SECONDS: '3', TRUNKLINE_TRANSFER_TIMEOUT: '30' },
  });
  gateways = cluster.gateways;
  for (const app of [...cluster.gateways, ...cluster.workers]) watch(app);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  remotes = { hg: await makeRemote.hg(), git: await makeRemote.git() };
  for (const type of ['hg', 'git'] as const) await remotes[type].commit({ 'docs/read.me': type, [someFile]: type });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  fixture = await makeFixture(admin, remotes);
  known = await Promise.all(fixture.sources.map((repoid) => readSource(admin, repoid)));
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
  await Promise.all([remotes.hg.close(), remotes.git.close()]);
});

/** Runs clients of both gateways while `happen` runs; then expects database and storage to match their replies. */
async function runUnderLoad(
  happen: (first: LoadEndpoint, second: LoadEndpoint) => Promise<unknown>,
  betweenCallsMs = pauseMs,
): Promise<[EndpointOutcome, EndpointOutcome]> {
  let isOver = false;
  const endpoints = gateways.map((gateway) => createLoadEndpoint(gateway, cluster.adminKey, known));
  const [first, second] = endpoints;
  if (!first || !second) throw new Error('two gateways are needed');
  const loads = Promise.all(
    endpoints.map((endpoint) => {
      const clients = Array.from({ length: clientsPerEndpoint }, () => endpoint.client);
      const ask: typeof endpoint.ask = async (client, call) => {
        await wait(betweenCallsMs);
        return endpoint.ask(client, call);
      };
      return runLoad({ clients, fixture, calls: Infinity, isOver: () => isOver, seed: seeds.below(2 ** 31), ask });
    }),
  );
  try {
    const all = async () => {
      await Promise.all(endpoints.map((endpoint) => goesOn(endpoint)));
      await happen(first, second);
      await Promise.all(endpoints.map((endpoint) => goesOn(endpoint)));
    };
    await Promise.race([all(), loads]);
  } finally {
    isOver = true;
  }
  const [ofFirst = [], ofSecond = []] = await loads;
  gateways = endpoints.map(({ gateway }) => gateway);
  results.push(...ofFirst, ...ofSecond);
  unknownIds.push(...endpoints.flatMap((endpoint) => endpoint.unknownIds));
  return [
    { ...first, results: ofFirst },
    { ...second, results: ofSecond },
  ];
}

/** Waits until `calls` more calls of the gateway's clients are answered. */
async function goesOn(endpoint: LoadEndpoint, calls = 20): Promise<void> {
  const before = endpoint.answered;
  await eventually(
    async () => endpoint.answered,
    (answered) => answered >= before + calls,
    60,
  );
}

async function whileFrozen(pid: number, happen: () => Promise<unknown>): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await happen();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** Waits until the gateway reports the service as unavailable, so that calls in flight have timed out. */
async function waitUntilUnavailable(endpoint: LoadEndpoint): Promise<void> {
  await eventually(
    () => endpoint.client.call('get_repos'),
    ({ error }) => error === unavailable,
  );
}

const readiness = (status: number) =>
  Promise.all(
    gateways.map(({ baseUrl }) =>
      eventually(
        async () => (await fetch(`${baseUrl}/readyz`)).status,
        (found) => found === status,
      ),
    ),
  );

/** Returns the replies that neither an order of the calls nor an unavailable service explains. */
function unexplained({ results: calls, wrongReads }: EndpointOutcome): string[] {
  return [
    ...wrongAnswers(calls.filter(({ error, responded }) => responded < Infinity && !isNothingRan(error))),
    ...wrongReads,
  ];
}

/** Finds calls of unknown outcome for which get_operation and the audit log differ. */
async function findUndecided(admin: Client): Promise<string[]> {
  const rows = await sql<{ id: string; outcome: string }[]>`select request_id as id, outcome from audit_log
    union all select request_id, 'failed' from counted_refusals`;
  const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]));
  const faults: string[] = [];
  for (const operation_id of unknownIds) {
    const { result, error } = await admin.call('get_operation', { operation_id });
    const state = error === null ? v.parse(Operation, result).state : error;
    const outcome = outcomes.get(operation_id);
    const expected = outcome === 'succeeded' ? 'done' : (outcome ?? `operation \`${operation_id}\` does not exist`);
    if (state !== expected) faults.push(`operation ${operation_id} is ${state}, by the audit log ${outcome}`);
  }
  return faults;
}

/** Finds differences between replies, database, audit log and storage; the last calls may still be running. */
async function findFaults(): Promise<string[]> {
  const admin = createClient(gateways[0]?.baseUrl ?? '', cluster.adminKey);
  const effective = results.filter(({ error, responded }) => error === null || responded === Infinity);
  const writes = effective.filter(({ call }) => !call.method.startsWith('get_'));
  const faults = [
    ...(await findInconsistencies(sql, cluster.storageRoot)),
    ...(await findContradictions(sql)),
    ...(await findAuditGaps(sql)),
    ...(await findMiscounted(
      sql,
      writes.map(({ call, error }) => ({ ...call, acknowledged: error === null })),
    )),
    ...(await findUndecided(admin)),
  ];
  if (faults.length > 0) return faults;
  return [...(await compareWithApi(admin, results)).faults, ...(await findByteFaults(sql, cluster.storageRoot))];
}

async function expectOrder(): Promise<void> {
  await readiness(200);
  const look = () => findFaults().catch((error: unknown) => [String(error)]);
  await eventually(look, (found) => found.length === 0, 60);
  expect(ended).toEqual(killed);
  expect(await cluster.logs()).not.toContain('"code":"internal"');
}

describe('while sixteen clients create, fork, pull, rename, delete, grant and read', { timeout: 150_000 }, () => {
  it('C6 E4 E14 a killed gateway: its replies are true, other gateways continue, and a new one serves', async () => {
    const [first, second] = await runUnderLoad(async (endpoint, other) => {
      killed.push(endpoint.gateway.pid);
      await endpoint.kill();
      await goesOn(other);
      const gateway = await cluster.startGateway();
      watch(gateway);
      endpoint.reopen(gateway);
      // Without pauses each client has a call in flight when its gateway is killed.
    }, 0);
    expect(new Set(first.excuses)).toEqual(new Set(['connection lost']));
    expect(second.excuses).toEqual([]);
    expect([...unexplained(first), ...unexplained(second)]).toEqual([]);
    await expectOrder();
  });

  it('E4 a gateway that is frozen beyond the timeout of its calls: its clients are answered afterwards, others are not affected', async () => {
    const [first, second] = await runUnderLoad((endpoint, other) =>
      whileFrozen(endpoint.gateway.pid, () => Promise.all([goesOn(other), wait(longerThanCallsMs)])),
    );
    expect(first.excuses).not.toContain('connection lost');
    expect(second.excuses).toEqual([]);
    expect([...unexplained(first), ...unexplained(second)]).toEqual([]);
    await expectOrder();
  });

  it('C6 E4 E5 E14 a nats-server that is killed and restarted: calls fail with the fixed texts, then all recovers by itself', async () => {
    const [first, second] = await runUnderLoad(async (...endpoints) => {
      await cluster.nats.kill();
      await Promise.all([...endpoints.map(waitUntilUnavailable), readiness(503)]);
      // Operations that had begun end, although no gateway can receive their outcome.
      await eventually(
        () => sql`select 1 from operations where state = 'running'`,
        (running) => running.length === 0,
      );
      await cluster.restartNats();
    });
    expect([...unexplained(first), ...unexplained(second)]).toEqual([]);
    await expectOrder();
  });

  it('E4 E5 E14 a nats-server that is frozen and thawed: calls fail with the fixed texts, then all recovers by itself', async () => {
    const [first, second] = await runUnderLoad((...endpoints) =>
      whileFrozen(cluster.nats.pid, () => Promise.all([...endpoints.map(waitUntilUnavailable), readiness(503)])),
    );
    expect([...unexplained(first), ...unexplained(second)]).toEqual([]);
    await expectOrder();
  });

  it('C7 E4 E14 a worker that is frozen for longer than its leases and thawed: replies are true, then all recovers by itself', async () => {
    const [first, second] = await runUnderLoad(() =>
      whileFrozen(cluster.workers[0]?.pid ?? 0, () => wait(longerThanCallsMs)),
    );
    expect([...unexplained(first), ...unexplained(second)]).toEqual([]);
    await expectOrder();
  });
});
