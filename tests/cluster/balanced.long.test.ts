import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { findAuditGaps, findMiscounted } from '../harness/audit-replay.ts';
import { findByteFaults } from '../harness/byte-faults.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import type { Fixture } from '../harness/load-calls.ts';
import { compareWithApi, findContradictions, wrongAnswers } from '../harness/load-checks.ts';
import { makeFixture } from '../harness/load-fixture.ts';
import type { LoadResult } from '../harness/load.ts';
import { byForm } from '../harness/long-form.ts';
import { chosenSeed, seededRandom } from '../harness/random.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';
import { foundProxies } from '../wire/proxies/start-proxy.ts';
import { leaseSeconds, startBalancedCluster, type BalancedCluster } from './balanced/balanced-cluster.ts';
import { quantile, startSteadyLoad, type Seen, type SteadyLoad } from './balanced/steady-load.ts';
import { makeVcsClients, type VcsClients } from './balanced/vcs-clients.ts';

vi.setConfig({ testTimeout: 600_000 });

const hasBalancer = foundProxies.includes('HAProxy');
if (!hasBalancer) console.warn('HAProxy was not found: `npm test` finds or fetches it.');

/** The load that two cores carry with 99 of 100 calls answered within a second. */
const load = { clients: byForm(4, 8), pauseMs: byForm(100, 250) };
const isLong = byForm(false, true);
/** Which gateways, workers and servers of the bus are replaced. */
const replaced = [0, 1, 2];
/** Exact times in the long form, on a machine that does nothing else. */
const allowance = byForm(
  { newCallsMs: 60_000, lateMs: 60_000, leaseMs: 60_000 },
  { newCallsMs: 2_000, lateMs: 1_000, leaseMs: 2_000 },
);

const seed = chosenSeed();
const seeds = seededRandom(seed, 0);
let balanced: BalancedCluster;
let remotes: Readonly<Record<'hg' | 'git', Remote>>;
let fixture: Fixture;
let vcs: VcsClients;
/** The results of all calls: the audit log has all of their changes, too. */
const results: LoadResult[] = [];

beforeAll(async () => {
  if (!hasBalancer) return;
  balanced = await startBalancedCluster(inject('postgresUrl'));
  remotes = { hg: await makeRemote.hg(), git: await makeRemote.git() };
  for (const type of ['hg', 'git'] as const) await remotes[type].commit({ [someFile]: type });
  fixture = await makeFixture(balanced.admin, remotes);
  vcs = await makeVcsClients(balanced);
}, 300_000);
afterAll(async () => {
  if (!hasBalancer) return;
  await balanced.close();
  await Promise.all([remotes.hg.close(), remotes.git.close()]);
});

const failuresOf = (seen: readonly Seen[]) =>
  seen.flatMap(({ method, failure }) => (failure === null ? [] : [`${method}: ${failure}`]));

/** Finds differences between replies, database, audit log and storages. */
async function findFaults(): Promise<string[]> {
  const { sql, cluster, admin } = balanced;
  const effective = results.filter(({ error, responded }) => error === null || responded === Infinity);
  const writes = effective.filter(({ call }) => !call.method.startsWith('get_'));
  const faults = [
    ...(await findInconsistencies(sql, cluster.storageRoots)),
    ...(await findContradictions(sql)),
    ...(await findAuditGaps(sql)),
    ...(await findMiscounted(
      sql,
      writes.map(({ call, error }) => ({ ...call, acknowledged: error === null })),
    )),
  ];
  if (faults.length > 0) return faults;
  return [
    ...(await compareWithApi(admin, results)).faults,
    ...(await vcs.findFaults()),
    ...(await findByteFaults(sql, cluster.storageRoots)),
  ];
}

/** Expects all replies so far to be true, and what was acknowledged to have been done, and recorded, once. */
async function expectOrder(): Promise<void> {
  const isUnknown = ({ error, responded }: LoadResult) =>
    responded === Infinity || /temporarily unavailable|is busy|is not known yet/.test(error ?? '');
  expect(wrongAnswers(results.filter((one) => !isUnknown(one)))).toEqual([]);
  const look = () => findFaults().catch((error: unknown) => [String(error)]);
  await eventually(look, (found) => found.length === 0, 180);
}

/** Runs the load, pushes and clones while `happen` runs; returns the calls. */
async function underLoad(what: string, happen: (steady: SteadyLoad) => Promise<unknown>): Promise<readonly Seen[]> {
  const { balancer, admin } = balanced;
  const target = { url: balancer.url, apiKey: admin.apiKey };
  const steady = startSteadyLoad({ ...target, fixture, seed: seeds.below(2 ** 31), ...load });
  vcs.start();
  try {
    await steady.answered(10);
    await happen(steady);
    await steady.answered(10);
  } finally {
    const [made] = await Promise.all([steady.stop(), vcs.stop()]);
    results.push(...made);
  }
  const { seen } = steady;
  const seconds = (Math.max(...seen.map(({ ended }) => ended)) - Math.min(...seen.map(({ begun }) => begun))) / 1_000;
  const { pushes, clones } = vcs.counts();
  const times = [0.5, 0.99, 1].map((part) => quantile(seen, part)).join(', ');
  console.log(
    `${what}: ${seen.length} calls in ${Math.round(seconds)} s, ${failuresOf(seen).length} failed; ` +
      `p50, p99 and longest ${times} ms; pushes so far ${pushes}, clones and fetches ${clones}`,
  );
  return seen;
}

/** Replaces one gateway, one worker and one server of the bus. */
async function replaceEach(at: number): Promise<void> {
  const { nats } = balanced;
  // The gateway goes on answering until the balancer has noticed; meanwhile the others change in the short form.
  const gatewayStopped = balanced.stopGateway(at);
  if (isLong) await gatewayStopped;
  await balanced.stopWorker(at);
  await balanced.startWorker(at);
  const [node] = nats.nodes;
  await nats.start();
  if (node) await nats.retire(node);
  await gatewayStopped;
  await balanced.startGateway(at);
}

const kills = {
  gateway: {
    kill: () => balanced.gateways[0]?.kill(),
    replace: () => balanced.startGateway(0),
  },
  worker: {
    kill: () => balanced.workers[0]?.kill(),
    replace: () => balanced.startWorker(0),
  },
  'server of the bus': {
    async kill() {
      const [node] = balanced.nats.nodes;
      if (node) await balanced.nats.kill(node);
    },
    replace: () => balanced.nats.start(),
  },
} as const;

/** Kills one process and replaces it; returns the time of its end. */
async function killOne({ kill, replace }: (typeof kills)[keyof typeof kills], steady: SteadyLoad): Promise<number> {
  const { sql } = balanced;
  const running = await sql<{ id: string }[]>`select id from operations where state = 'running'`;
  const ids = running.map(({ id }) => id);
  const killedAt = performance.now();
  await kill();
  const ended = eventually(
    () => sql`select 1 from operations where state = 'running' and id = any(${ids}::uuid[])`,
    (rows) => rows.length === 0,
    120,
  ).then(() => performance.now() - killedAt);
  await steady.answered(10);
  expect(await ended).toBeLessThan(leaseSeconds * 1_000 + allowance.leaseMs);
  // Two are left of each kind.
  if (isLong) await replace();
  return killedAt;
}

describe.runIf(hasBalancer)('three gateways behind HAProxy, three workers, three servers of the bus', () => {
  it('E8 E14 each is replaced under load: no call, push or clone fails, and none is doubled', async () => {
    const seen = await underLoad('replaced', async () => {
      for (const at of replaced) await replaceEach(at);
    });
    expect([...failuresOf(seen), ...vcs.failures()]).toEqual([]);
    expect(vcs.counts().pushes).toBeGreaterThan(0);
    expect(vcs.counts().clones).toBeGreaterThan(0);
    expect(quantile(seen, 0.99)).toBeLessThan(byForm(Infinity, 1_000));
    await expectOrder();
  });

  it.each(['workers and gateways'])('E8 %s are added and removed under load: no call fails', async () => {
    const before = vcs.failures().length;
    const seen = await underLoad('added and removed', async (steady) => {
      await Promise.all([balanced.startWorker(3), balanced.startGateway(3)]);
      await steady.answered(100);
      await Promise.all([balanced.stopWorker(3), balanced.stopGateway(3)]);
    });
    expect([...failuresOf(seen), ...vcs.failures().slice(before)]).toEqual([]);
    await expectOrder();
  });

  it.each(['the pool of a lane'])('E5 %s is stopped: calls of other lanes are as fast as before', async () => {
    const usual = { TRUNKLINE_LANES: 'metadata,storage,download,wire,wire-push' };
    for (const at of [0, 1, 2]) {
      await balanced.stopWorker(at);
      await balanced.startWorker(at, usual);
    }
    await balanced.startWorker(3, { TRUNKLINE_LANES: 'transfer' });
    let stoppedAt = 0;
    const seen = await underLoad('a pool stopped', async (steady) => {
      await steady.answered(500);
      await balanced.stopWorker(3);
      stoppedAt = performance.now();
      await steady.answered(500);
    });
    for (const at of [0, 1, 2]) {
      await balanced.stopWorker(at);
      await balanced.startWorker(at);
    }
    const others = seen.filter(({ method }) => method !== 'pull' && method !== 'create_repo');
    expect(failuresOf(others)).toEqual([]);
    const [before = 0, after] = [
      others.filter(({ ended }) => ended < stoppedAt),
      others.filter(({ begun }) => begun > stoppedAt),
    ].map((some) => quantile(some, 0.99));
    console.log(`p99 of other lanes before and after the stop: ${before}, ${after} ms`);
    expect(after).toBeLessThan(Math.max(1_000, 2 * before));
    await expectOrder();
  });

  it.each(['a worker'])('E4 %s is frozen under load: only what it was sent is late', async () => {
    const { pid = 0 } = balanced.workers[0] ?? {};
    const seen = await underLoad('worker frozen', async (steady) => {
      process.kill(pid, 'SIGSTOP');
      try {
        await steady.answered(100);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
    });
    // Reads are sent to another worker; what else the frozen one was sent, or waits for a lock of such a call, has ended
    // without an answer, or its outcome is known later.
    const failed = seen.filter(({ failure }) => failure !== null);
    expect(failuresOf(failed.filter(({ method }) => method.startsWith('get_')))).toEqual([]);
    const ofFrozen = /is not known yet|temporarily unavailable|is busy/;
    expect(failed.filter(({ failure }) => !ofFrozen.test(failure ?? ''))).toEqual([]);
    await expectOrder();
  });

  it('C7 E4 E14 each is killed under load: calls in flight on it may fail, no others', async () => {
    const killed: number[] = [];
    const seen = await underLoad('killed', async (steady) => {
      for (const one of Object.values(kills)) killed.push(await killOne(one, steady));
    });
    const failed = seen.filter(({ failure }) => failure !== null);
    const isExcused = ({ begun, ended }: Seen) =>
      killed.some((killedAt) => begun < killedAt + allowance.newCallsMs && ended > killedAt);
    expect(failuresOf(failed.filter((one) => !isExcused(one)))).toEqual([]);
    const longest = 60_000 + allowance.lateMs;
    expect(seen.filter(({ begun, ended }) => ended - begun > longest)).toEqual([]);
    await expectOrder();
  });

  // At the end, since requests of a second address make gateways admit those of the load in turns.
  it('B12 the address of a client is its own, whatever it claims', async () => {
    const { balancer, admin } = balanced;
    const body = JSON.stringify({ id: 1, api_key: admin.apiKey, method: 'get_ip', args: { userid: 'admin' } });
    const headers = { 'x-forwarded-for': '10.9.8.7' };
    const options = { method: 'POST', localAddress: '127.0.0.3', agent: false, headers };
    const sent = request(`${balancer.url}/_admin/api`, options).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(JSON.parse(await text(response))).toMatchObject({ error: null, result: { ip_addr_server: '127.0.0.3' } });
  });
});
