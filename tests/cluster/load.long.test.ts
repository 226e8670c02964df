import postgres from 'postgres';
import { afterEach, describe, expect, inject, it, onTestFailed } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { byForm } from '../harness/long-form.ts';
import { chosenSeed } from '../harness/random.ts';
import { makeRemote } from '../harness/remotes.ts';
import type { Fixture } from '../harness/load-calls.ts';
import { makeFixture } from '../harness/load-fixture.ts';
import { compareWithApi, findContradictions, verifySample, wrongAnswers } from '../harness/load-checks.ts';
import { runLoad, type Load, type LoadResult } from '../harness/load.ts';

let cluster: Cluster;
let sql: postgres.Sql;
let admin: Client;

async function start(env: Record<string, string> = {}) {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 2, workers: 3, env });
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  admin = clients(1)[0] ?? createClient(cluster.baseUrl, cluster.adminKey);
}
afterEach(async () => {
  await sql.end();
  await cluster.stop();
});

const clients = (count: number): Client[] =>
  Array.from({ length: count }, (_, index) =>
    createClient(cluster.baseUrls[index % cluster.baseUrls.length] ?? cluster.baseUrl, cluster.adminKey),
  );

describe('C7 one name that a hundred concurrent calls over both gateways create', () => {
  it('is created by one of them', async () => {
    await start();
    await admin.result('create_repo', { repo_name: 'source', repo_type: 'git' });
    const create = (repo_name: string, repo_type: string) => (client: Client) =>
      client.call('create_repo', { repo_name, repo_type });
    const fork = (fork_name: string) => (client: Client) => client.call('fork_repo', { repoid: 'source', fork_name });
    for (const name of ['plain', 'new/groups/of/it']) {
      for (const type of ['hg', 'git']) {
        for (const mixed of [false, true]) {
          const wanted = `${name}-${type}-${mixed}`;
          const calls = clients(100).map((client, index) =>
            (mixed && index % 3 === 0 ? fork : create)(wanted, type)(client),
          );
          const errors = (await Promise.all(calls)).map(({ error }) => error).filter((error) => error !== null);
          expect(errors).toHaveLength(99);
          const kinds = mixed ? /^(repo|fork)$/ : /^repo$/;
          for (const error of errors) {
            const [, kind = error, rest] = /^(\w+) (.*)$/.exec(error) ?? [];
            expect(kind).toMatch(kinds);
            expect(rest).toBe(`\`${wanted}\` already exist`);
          }
        }
      }
    }
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
    expect(await findContradictions(sql)).toEqual([]);
  });
});

async function makeFixtureWithoutRemotes(): Promise<Fixture> {
  const remotes = { hg: await makeRemote.hg(), git: await makeRemote.git() };
  try {
    for (const type of ['hg', 'git'] as const) await remotes[type].commit({ 'docs/read.me': type });
    return { ...(await makeFixture(admin, remotes)), pulled: [] };
  } finally {
    await Promise.all([remotes.hg.close(), remotes.git.close()]);
  }
}

async function runSeededLoad(options: Pick<Load, 'calls'> & Partial<Load>): Promise<LoadResult[]> {
  const seed = chosenSeed();
  onTestFailed(() => console.error(`TRUNKLINE_TEST_SEED=${seed}`));
  return runLoad({ clients: clients(40), fixture: await makeFixtureWithoutRemotes(), seed, ...options });
}

async function expectOrder(results: readonly LoadResult[]): Promise<void> {
  const faults = async () => [
    ...(await findInconsistencies(sql, cluster.storageRoot)),
    ...(await findContradictions(sql)),
  ];
  await eventually(faults, (found) => found.length === 0);
  const { faults: seen, compared } = await compareWithApi(admin, results);
  expect(seen).toEqual([]);
  expect(compared).toBeGreaterThan(5);
  await verifySample(sql, cluster.storageRoot, 4);
}

describe('C7 forty clients on a few names and groups', { timeout: 120_000 }, () => {
  it('every reply is right for some order of the calls, and nothing is lost or left over', async () => {
    await start();
    const results = await runSeededLoad({ calls: byForm(400, 1_500) });
    expect(wrongAnswers(results)).toEqual([]);
    await expectOrder(results);
  });

  it('C6 replies are right while one worker is stopped, another one is killed, and new ones replace them', async () => {
    // The client of an import whose worker is killed receives an answer only at the timeout.
    await start({ TRUNKLINE_LEASE_SECONDS: '3', TRUNKLINE_TRANSFER_TIMEOUT: byForm('15', '30') });
    const events = new Map([
      [byForm(80, 150), () => Promise.all([cluster.workers[0]?.kill(), cluster.startWorker()])],
      [byForm(160, 600), () => Promise.all([cluster.workers[1]?.stop(), cluster.startWorker()])],
    ]);
    const results = await runSeededLoad({ calls: byForm(250, 1_200), events });
    // Reads that failed since their worker was killed.
    const cutOff = ({ call, error }: LoadResult) =>
      call.method.startsWith('get_') && error === 'Service is temporarily unavailable, try again later';
    expect(wrongAnswers(results.filter((one) => one.responded < Infinity && !cutOff(one)))).toEqual([]);
    await expectOrder(results);
  });
});
