import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { askingViews } from '../harness/ask-view.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { byForm } from '../harness/long-form.ts';
import { isNativeGitFetch, makeGitRemote, type Remote } from '../harness/remotes.ts';
import { countStatements, type StatementCounter } from '../harness/statement-counter.ts';
import { someFile } from '../harness/unique-name.ts';

// The transfer timeout is the default, an hour: a test in which a caller waits for that fails.
const leaseSeconds = '3';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let remote: Remote;
/** While false, the remote answers no request of git. */
let remoteOpen: boolean;
/** Number of times that git has asked the remote for commits. */
let asked: number;

beforeEach(async () => {
  remoteOpen = true;
  asked = 0;
  remote = await makeGitRemote({
    intercept(request) {
      if (!isNativeGitFetch(request)) return false;
      asked += 1;
      return !remoteOpen;
    },
  });
  await remote.commit({ [someFile]: '1' });
});

afterEach(async () => {
  await sql.end();
  await cluster.kill();
  await remote.close();
});

async function start(workers: number, env: Record<string, string> = {}): Promise<void> {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
}

const importOf = (repo_name: string) => ({ repo_name, repo_type: 'git', clone_uri: remote.url });

const fetching = () =>
  eventually(
    async () => asked,
    (times) => times > 0,
  );

/** Starts another worker and kills the first one, which runs the call. */
async function killFirst(): Promise<void> {
  const [first] = cluster.workers;
  await cluster.startWorker();
  await first?.kill();
}

describe('C6 the caller of an operation whose worker is killed', () => {
  beforeEach(() => start(1, { TRUNKLINE_LEASE_SECONDS: leaseSeconds }));

  it('is answered with the repository when another worker has finished the import', async () => {
    remoteOpen = false;
    const call = admin.call('create_repo', importOf('group/copy'));
    await fetching();
    remoteOpen = true;
    await killFirst();
    const { result, error } = await call;
    expect(error).toBeNull();
    const repository = await admin.result<object>('get_repo', { repoid: 'group/copy' });
    expect(result).toEqual({
      msg: 'Created new repository `group/copy`',
      repo: expect.objectContaining({ repo_name: 'group/copy', clone_uri: remote.url }),
      task: null,
    });
    expect(repository).toMatchObject((result as { repo: object }).repo);
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('is answered with the failure when another worker has ended the pull', async () => {
    await admin.result('create_repo', importOf('copy'));
    await remote.commit({ [someFile]: '2' });
    remoteOpen = false;
    asked = 0;
    const call = admin.call('pull', { repoid: 'copy' });
    await fetching();
    await killFirst();
    const { error } = await call;
    expect(error).toMatch(/^Unable to pull changes from `copy`/);
    const [operation] = await admin.result<{ error: string }[]>('list_operations', { limit: 1 });
    expect(operation).toMatchObject({ kind: 'pull', state: 'failed', error });
  });
});

describe('C6 the result of a creation is the record as it was created', () => {
  let created: object;
  const resultFor = async (username: string) => {
    const [operation] = await sql<{ id: string }[]>`select id from operations where kind = 'import'`;
    const views = await askingViews(cluster);
    const answer = await views.ask(username, 'view_operation_result', { operation_id: operation?.id });
    await views.close();
    return JSON.parse(answer) as unknown;
  };

  beforeEach(async () => {
    await start(1);
    await admin.result('create_user', { username: 'ann', email: 'ann@example.org', admin: true });
    const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
    created = await createClient(cluster.baseUrl, api_key).result('create_repo', importOf('copy'));
  });

  it('when the repository has been deleted since', async () => {
    await admin.result('delete_repo', { repoid: 'copy' });
    expect(await resultFor('ann')).toEqual(created);
  });

  it('B8 when the caller may no longer read the repository', async () => {
    await admin.result('update_user', { userid: 'ann', admin: false });
    await admin.result('update_repo', { repoid: 'copy', owner: 'admin', private: true, description: 'secret' });
    expect(await resultFor('ann')).toEqual(created);
    await admin.result('grant_user_permission', { repoid: 'copy', userid: 'ann', perm: 'repository.read' });
    expect(await resultFor('ann')).toMatchObject({ repo: { description: 'secret', owner: 'admin' } });
  });
});

describe('E6 calls that wait for a repository', { timeout: 180_000 }, () => {
  const waiting = byForm(10, 60);
  const restMs = 3_000;
  let counter: StatementCounter;

  afterEach(() => counter.close());

  it('query the database no more while they wait, and run in turn when the one before them has ended', async () => {
    const postgresUrl = inject('postgresUrl');
    counter = await countStatements(postgresUrl);
    await start(0);
    const database = new URL(cluster.database.workerUrl);
    database.port = new URL(counter.url).port;
    for (let worker = 0; worker < 2; worker += 1) {
      await cluster.startWorker({ TRUNKLINE_DATABASE_URL: database.href });
    }
    await admin.result('create_repo', importOf('copy'));
    remoteOpen = false;
    asked = 0;
    await remote.commit({ [someFile]: '2' });
    const first = admin.call('pull', { repoid: 'copy' });
    await fetching();

    /** Number of times for which the gateway has asked again for a call that was refused a slot. */
    const refused = async () => {
      const text = await (await fetch(cluster.metricsUrls[0] ?? '')).text();
      const pattern = /^trunkline_call_retries_total\{lane="transfer",reason="busy"\} (\d+)$/m;
      return Number(pattern.exec(text)?.[1]);
    };
    const atRest = async () => {
      const before = counter.statements;
      await wait(restMs);
      return counter.statements - before;
    };
    // Statements of sweeps and of the heartbeat of the running pull.
    const alone = await atRest();
    const calls = Array.from({ length: waiting }, () => admin.call('pull', { repoid: 'copy' }));
    // Each call queries once, and all waiting calls of a worker together once more. One that was refused a slot does not wait yet.
    const withWaiters = await eventually(
      async () => {
        const before = await refused();
        const statements = await atRest();
        return { statements, refused: (await refused()) - before };
      },
      (rest) => rest.statements <= alone + 10 && rest.refused === 0,
    );
    console.log(
      `${waiting} calls that wait: ${withWaiters.statements} statements in ${restMs} ms, without them ${alone}`,
    );

    remoteOpen = true;
    const [pull] = await admin.result<{ operation_id: string }[]>('list_operations', { state: 'running' });
    await admin.result('cancel_operation', { operation_id: pull?.operation_id });
    expect((await first).error).toMatch(/^Unable to pull changes from `copy`/);
    const replies = (await Promise.all(calls)).map(({ result, error }) => error ?? result);
    expect(new Set(replies)).toEqual(new Set(['Pulled from `copy`']));
  });
});
