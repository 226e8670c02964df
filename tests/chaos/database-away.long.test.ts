import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresServer } from '@trunkline/local';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { clientTools } from '../harness/client-tools.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { goesOn, startOutageLoad } from '../harness/outage-load.ts';
import { isNativeGitFetch, makeGitRemote, makeHgRemote } from '../harness/remotes.ts';
import { standsStill } from '../harness/suspend.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';
import { createWebClient } from '../harness/web-client.ts';
import { waitingForLocks } from '../harness/waiting-for-locks.ts';
import { bundleOfAll, holdBundle } from '../wire/held-bundle.ts';
import { holdPush } from '../wire/held-push.ts';

const unavailable = 'Service is temporarily unavailable, try again later';
const busy = 'Service is busy, try again later';
const unknownOutcome = /^The outcome of operation [0-9a-f-]{36} is not known yet, ask get_operation$/;

let directory: string;
let server: PostgresServer;
let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

const startServer = (port?: number) =>
  startPostgres({ dataDir: join(directory, 'postgres'), throwaway: false, ...(port === undefined ? {} : { port }) });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-away-'));
  await chmod(directory, 0o755);
  server = await startServer();
  const env = { TRUNKLINE_LEASE_SECONDS: '3' };
  cluster = await startCluster({ postgresUrl: server.url, gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  const remote = await makeGitRemote();
  await remote.commit({ [someFile]: '1' });
  await admin.result('create_repo', { repo_name: 'read', repo_type: 'git', clone_uri: remote.url });
  await remote.close();
  await admin.result('create_repo', { repo_name: 'written', repo_type: 'git' });
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await cluster.kill();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Freezes Postgres as if its machine hung: it keeps and accepts connections, and answers nothing. */
async function freeze(): Promise<() => Promise<void>> {
  const backends = await sql<{ pid: number }[]>`select pid from pg_stat_activity where pid <> pg_backend_pid()`;
  const [own] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const pids = [server.pid, ...backends.map(({ pid }) => pid), own?.pid ?? server.pid];
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of pids) {
      // A connection by which a process looks at the server may have ended meanwhile.
      if (existsSync(`/proc/${pid}`)) process.kill(pid, name);
    }
  };
  onTestFailed(() => signal('SIGCONT'));
  signal('SIGSTOP');
  return async () => signal('SIGCONT');
}

async function killAndRestart(): Promise<() => Promise<void>> {
  const { port } = server;
  await server.kill();
  return async () => {
    server = await startServer(port);
  };
}

const ready = async () => (await fetch(`${cluster.baseUrl}/readyz`)).status;
const isReady = () => eventually(ready, (status) => status === 200);

const ways = [
  ['killed', killAndRestart],
  ['frozen', freeze],
] as const;

describe.each(ways)('E12 a database that is %s under load', (how, take) => {
  it('calls fail with the fixed texts, nothing is wrong or lost, and everything recovers by itself, an import too', async () => {
    const gate = { open: false, asked: 0 };
    const intercept = async (request: Parameters<typeof isNativeGitFetch>[0]) => {
      if (!isNativeGitFetch(request)) return false;
      gate.asked += 1;
      return !gate.open;
    };
    const remote = await makeGitRemote({ intercept });
    const rawId = await remote.commit({ [someFile]: '1' });
    const name = `import-${how}`;
    const imported = admin.call('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
    await eventually(
      async () => gate.asked,
      (asked) => asked > 0,
    );
    const calls = startOutageLoad(admin, how);
    const { made, outcomes } = calls;
    await eventually(
      async () => made.length,
      (count) => count > 2,
    );
    const lostBefore = (await cluster.logs()).split('"lease lost"').length;

    const giveBack = await take();
    await eventually(ready, (status) => status === 503);
    await eventually(
      async () => outcomes.get(unavailable) ?? 0,
      (count) => count > 2,
    );
    // The worker that runs the import stops before another worker may take it over.
    await eventually(
      () => cluster.logs(),
      (logs) => logs.split('"lease lost"').length > lostBefore,
    );
    expect((await createWebClient(cluster.baseUrl).signIn('admin', 'any')).status).toBe(503);
    await giveBack();
    gate.open = true;

    await isReady();
    await goesOn(calls);
    await calls.stop();
    expect(calls.findStrange()).toEqual([]);

    const { error } = await imported;
    expect(error).toMatch(unknownOutcome);
    const [, operation_id] = /operation (\S+)/.exec(error ?? '') ?? [];
    const ended = await admin.result('wait_operation', { operation_id, timeout: 20 });
    expect(ended).toMatchObject({ state: 'done', error: null });
    expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ last_changeset: { raw_id: rawId } });
    await eventually(
      () => findInconsistencies(sql, cluster.storageRoot),
      (found) => found.length === 0,
    );
    const there = await sql<{ name: string }[]>`select name from repositories`;
    expect(there.map((row) => row.name)).toEqual(expect.arrayContaining([...made, 'read', 'written']));
    expect(await sql`select 1 from operations where kind = 'delete'`).toEqual([]);
    await remote.close();
  }, 120_000);
});

describe('E12 a row that another transaction has locked', () => {
  const waiting = async () => (await waitingForLocks(sql)).length;
  const rename = (repoid: string, description: string) => admin.call('update_repo', { repoid, description });

  it('writes to it fail with the fixed text and change nothing; other calls do not wait for them', async () => {
    await isReady();
    await rename('written', 'before');
    const holder = postgres(cluster.databaseUrl, { max: 1 });
    try {
      await holder.begin(async (tx) => {
        await tx`select 1 from repositories where name = 'written' for update`;
        const calls = Array.from({ length: 12 }, () => rename('written', 'after'));
        await eventually(waiting, (count) => count > 0);
        expect((await rename('read', 'changed')).error).toBeNull();
        expect(await waiting()).toBeLessThanOrEqual(2);
        const errors = (await Promise.all(calls)).map(({ error }) => error ?? 'answered');
        expect(errors).toContain(unavailable);
        const isKnown = (error: string) => [unavailable, busy].includes(error) || unknownOutcome.test(error);
        expect(errors.filter((error) => !isKnown(error))).toEqual([]);
        await eventually(waiting, (count) => count === 0);
      });
    } finally {
      await holder.end();
    }
    expect(await admin.result('get_repo', { repoid: 'written' })).toMatchObject({ description: 'before' });
    expect((await rename('written', 'after')).error).toBeNull();
  });
});

describe('E12 a push', { timeout: 180_000 }, () => {
  const tools = { git: makeGitRemote, hg: makeHgRemote };
  const types: ('git' | 'hg')[] = ['git', 'hg'];

  /** Makes a repository, and a work tree with one commit. */
  async function makePair(type: 'git' | 'hg', name: string) {
    await admin.result('create_repo', { repo_name: name, repo_type: type });
    const remote = await tools[type]();
    onTestFinished(() => remote.close());
    return { path: remote.directory, id: await remote.commit({ [someFile]: '1' }) };
  }

  let serving: Cluster['workers'][number];
  beforeAll(() => {
    const [worker] = cluster.workers;
    if (worker) serving = worker;
  });

  const auditOf = async (name: string) => {
    const rows = await sql`select outcome from audit_log where method = 'push' and args->>'repoid' = ${name}`;
    return rows.map(({ outcome }) => String(outcome));
  };
  const tipOf = async (repoid: string) =>
    (await admin.result<{ last_changeset: { raw_id: string } }>('get_repo', { repoid })).last_changeset.raw_id;

  it('C6 that arrives while the database is away is refused in words, and nothing of it is visible', async () => {
    await isReady();
    const [ofGit, ofHg] = [await makePair('git', 'late-git'), await makePair('hg', 'late-hg')];
    const sent = { key: admin.apiKey, path: ofGit.path, branch: mainReference, to: ofGit.id };
    const gitPush = await holdPush({ ...sent, url: `${cluster.baseUrl}/late-git`, root: cluster.storageRoot });
    const hgSent = { baseUrl: cluster.baseUrl, name: 'late-hg', key: admin.apiKey };
    const hgPush = await holdBundle(hgSent, await bundleOfAll(ofHg.path), cluster.storageRoot);
    const giveBack = await killAndRestart();
    const [{ report }, { text }] = await Promise.all([gitPush.finish(), hgPush.finish()]);
    expect(report).toContain(`ng ${mainReference} ${unavailable}`);
    expect(text).toContain(unavailable);
    await giveBack();
    await isReady();
    for (const type of types) {
      expect(await tipOf(`late-${type}`)).toBe('0'.repeat(40));
      expect(await auditOf(`late-${type}`)).not.toContain('succeeded');
    }
    expect(await findByteFaults(sql, cluster.storageRoot, 'late-')).toEqual([]);
  });

  it.each(types)(
    'C6 E14 of %s that is visible when the database goes away is recorded later, and its client pushes nothing again',
    async (type) => {
      const name = `cut-${type}`;
      const { path, id } = await makePair(type, name);
      const url = `http://api-key:${admin.apiKey}@${new URL(cluster.baseUrl).host}/${name}`;
      const tool = clientTools[type];
      const crash = { NODE_ENV: 'test', TRUNKLINE_CRASH_AT: 'push.synced', TRUNKLINE_CRASH_SIGNAL: 'SIGSTOP' };
      const armed = await cluster.startWorker(crash);
      // The armed worker alone serves.
      await serving.stop();
      const push = tool.push(path, url, id).then(() => null, String);
      await standsStill(armed.pid);
      const giveBack = await killAndRestart();
      process.kill(armed.pid, 'SIGCONT');
      expect(await push).not.toBeNull();
      await giveBack();
      await isReady();
      await eventually(
        () => auditOf(name),
        (outcomes) => !outcomes.includes('running'),
        60,
      );
      expect([await auditOf(name), await tipOf(name)]).toEqual([['succeeded'], id]);
      // Mercurial ends with 1 when there is nothing to push.
      const again = await tool.push(path, url, id).then(
        () => 0,
        ({ code }: { code?: unknown }) => code,
      );
      expect(again).toBe(type === 'git' ? 0 : 1);
      expect(await findByteFaults(sql, cluster.storageRoot, name)).toEqual([]);
      // The sweep removes what the attempt without a database has left in staging.
      await eventually(
        () => findInconsistencies(sql, cluster.storageRoot),
        (found) => found.length === 0,
      );
      serving = await cluster.startWorker();
      await armed.stop();
    },
  );
});
