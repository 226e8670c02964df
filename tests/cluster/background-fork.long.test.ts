import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { openWorkerAsker } from '../harness/ask-worker.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { startCuttableProxy } from '../harness/cuttable-proxy.ts';
import { eventually } from '../harness/eventually.ts';
import { holdUpdates } from '../harness/hold-updates.ts';
import { caught } from '../harness/caught.ts';

interface Operation {
  readonly state: string;
  readonly error: string | null;
  readonly attempt: number;
}

let directory: string;
let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

/** Writes a git whose `clone` waits until the file `go` or `fail` exists. */
async function slowGit(): Promise<string> {
  const words: unknown = JSON.parse(process.env['TRUNKLINE_GIT_COMMAND'] ?? '["git"]');
  const real = Array.isArray(words) ? words.map((word) => `'${String(word)}'`).join(' ') : 'git';
  const script = join(directory, 'git');
  const wait = `while [ ! -e ${directory}/go ]; do [ -e ${directory}/fail ] && exit 1; sleep 0.05; done`;
  await writeFile(script, `#!/bin/sh\ncase "$*" in *clone*) ${wait};; esac\nexec ${real} "$@"\n`, { mode: 0o755 });
  return JSON.stringify([script]);
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-slow-git-'));
  const env = {
    TRUNKLINE_FORK_WAIT: '1',
    TRUNKLINE_LEASE_SECONDS: '3',
    TRUNKLINE_GIT_COMMAND: await slowGit(),
  };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  await admin.result('create_repo', { repo_name: 'source', repo_type: 'git' });
});

afterEach(async () => {
  await sql.end();
  await cluster.kill();
  await rm(directory, { recursive: true, force: true });
});

const letGitGoOn = () => writeFile(join(directory, 'go'), '');
const operation = (task: string) => admin.result<Operation>('get_operation', { operation_id: task });
const wait = (task: string) => admin.result<Operation>('wait_operation', { operation_id: task, timeout: 20 });

/** Starts a fork that takes longer than its caller waits; returns the id of its operation. */
async function forkInBackground(): Promise<string> {
  const reply = await admin.result<{ task: string }>('fork_repo', { repoid: 'source', fork_name: 'group/fork' });
  expect(reply).toEqual({
    msg: 'Created fork of `source` as `group/fork`',
    success: true,
    task: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  return reply.task;
}

describe('a fork that takes longer than fork_repo waits', () => {
  it('continues after the answer: its name is taken at once, and the fork exists when it is done', async () => {
    const task = await forkInBackground();
    expect(await operation(task)).toMatchObject({ kind: 'fork', repo_name: 'group/fork', state: 'running' });
    expect(await admin.result('wait_operation', { operation_id: task, timeout: 0 })).toMatchObject({
      state: 'running',
      finished_on: null,
    });
    expect(await admin.result('get_repo', { repoid: 'group/fork' })).toBeNull();
    expect(await admin.error('create_repo', { repo_name: 'group/fork' })).toBe('fork `group/fork` already exist');
    const waiting = wait(task);
    await letGitGoOn();
    expect(await waiting).toMatchObject({ state: 'done', error: null });
    expect(await admin.result('get_repo', { repoid: 'group/fork' })).toMatchObject({ fork_of: 'source' });
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('locks its source: a deletion waits for the fork, another fork does not', async () => {
    const task = await forkInBackground();
    const other = await admin.result<{ task: string }>('fork_repo', { repoid: 'source', fork_name: 'other' });
    const deletion = admin.result('delete_repo', { repoid: 'source', forks: 'detach' });
    await eventually(
      () => admin.result<unknown[]>('list_operations', { state: 'running' }),
      (running) => running.length === 2,
    );
    await letGitGoOn();
    expect(await deletion).toMatchObject({ msg: 'Deleted repository `source` Detached 2 forks' });
    for (const id of [task, other.task]) expect(await wait(id)).toMatchObject({ state: 'done' });
    expect(await admin.result('get_repo', { repoid: 'group/fork' })).toMatchObject({ fork_of: null });
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('E6 leaves slots to others: one user has a quarter of the lane for forks', async () => {
    const figure = async (name: string) => {
      const text = await (await fetch(cluster.metricsUrls.at(-1) ?? '')).text();
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(name))
          ?.split(' ')[1] ?? 0,
      );
    };
    const refusals = () => figure('trunkline_refusals_total{lane="storage",quota="operations"}');
    for (const repo_name of ['second', 'third']) await admin.result('create_repo', { repo_name, repo_type: 'git' });
    const share = (await figure('trunkline_lane_slots{lane="storage"}')) / 4;
    // Not more of one source than its own quota allows.
    const fork = (nth: number) =>
      admin.result('fork_repo', { repoid: nth % 2 === 0 ? 'source' : 'second', fork_name: `fork${nth}` });
    await Promise.all(Array.from({ length: share }, (_, nth) => fork(nth)));
    expect([await figure('trunkline_lane_slots_busy{lane="storage"}'), await refusals()]).toEqual([share, 0]);
    const further = admin.result('fork_repo', { repoid: 'third', fork_name: 'further' });
    await eventually(refusals, (count) => count > 0);
    await admin.result('create_user', { username: 'other', email: 'other@example.com', admin: true });
    const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'other' });
    const other = createClient(cluster.baseUrl, api_key);
    await other.result('fork_repo', { repoid: 'third', fork_name: 'of-other' });
    expect(await figure('trunkline_lane_slots_busy{lane="storage"}')).toBe(share + 1);
    await letGitGoOn();
    expect(await further).toMatchObject({ success: true });
  });

  it('leaves nothing but its operation when it fails', async () => {
    const task = await forkInBackground();
    await writeFile(join(directory, 'fail'), '');
    expect(await wait(task)).toMatchObject({
      state: 'failed',
      error: 'failed to fork repository `source` as `group/fork`',
    });
    expect(await sql`select 1 from names where path like 'group%'`).toEqual([]);
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
    const [audited] = await admin.result<{ outcome: string }[]>('get_audit_log', { method: 'fork_repo' });
    expect(audited).toMatchObject({
      request_id: task,
      outcome: 'failed',
      error: 'failed to fork repository `source` as `group/fork`',
    });
  });

  it('D12 is undone when it is cancelled, and its processes end', async () => {
    const task = await forkInBackground();
    expect(await admin.result('cancel_operation', { operation_id: task })).toEqual({
      success: true,
      msg: `operation \`${task}\` is being cancelled`,
    });
    expect(await wait(task)).toMatchObject({ state: 'failed', attempt: 1 });
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
    expect(await admin.result('cancel_operation', { operation_id: task })).toEqual({
      success: false,
      msg: `operation \`${task}\` has already ended`,
    });
    await letGitGoOn();
    await admin.result('fork_repo', { repoid: 'source', fork_name: 'group/fork' });
    expect(await admin.result('get_repo', { repoid: 'group/fork' })).not.toBeNull();
  });

  it('is cancelled by one of many concurrent calls of cancel_operation', async () => {
    const task = await forkInBackground();
    const cancel = () => admin.result<{ success: boolean; msg: string }>('cancel_operation', { operation_id: task });
    const replies = await Promise.all(Array.from({ length: 40 }, cancel));
    expect(replies.filter(({ success }) => success)).toEqual([
      { success: true, msg: `operation \`${task}\` is being cancelled` },
    ]);
    for (const { msg } of replies.filter(({ success }) => !success)) {
      expect(msg).toMatch(new RegExp(`^operation \`${task}\` (is already being cancelled|has already ended)$`));
    }
    expect(await wait(task)).toMatchObject({ state: 'failed', attempt: 1 });
  });

  it('C6 is finished by another worker when its worker dies', async () => {
    const task = await forkInBackground();
    await cluster.startWorker();
    await cluster.workers[0]?.kill();
    await letGitGoOn();
    // The bus may still deliver a call to the dead worker.
    const ask = () => admin.call('get_operation', { operation_id: task });
    const ended = await eventually(ask, ({ result }) => (result as Operation | null)?.state === 'done');
    expect(ended.result).toMatchObject({ attempt: 2 });
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('E8 is handed over when its worker is stopped, which does not count as a failed attempt', async () => {
    const task = await forkInBackground();
    await cluster.startWorker();
    await cluster.workers[0]?.stop();
    await eventually(
      () => operation(task),
      ({ attempt }) => attempt === 2,
    );
    await letGitGoOn();
    expect(await wait(task)).toMatchObject({ state: 'done' });
    expect(await sql`select attempt, handovers from operations where id = ${task}`).toEqual([
      { attempt: 2, handovers: 1 },
    ]);
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('E8 does not delay the stop of a worker while callers wait for the fork', async () => {
    const task = await forkInBackground();
    const waiting = wait(task);
    await cluster.startWorker();
    const begun = performance.now();
    await cluster.workers[0]?.stop();
    expect(performance.now() - begun).toBeLessThan(8_000);
    expect(await waiting).toMatchObject({ state: 'running' });
    await letGitGoOn();
    expect(await wait(task)).toMatchObject({ state: 'done' });
  });
});

describe('fork_repo, which waits for its fork', () => {
  const args = { repoid: 'source', fork_name: 'group/fork' };
  const failure = 'failed to fork repository `source` as `group/fork`';
  const forks = () =>
    sql<{ state: string; attempt: number; late: boolean }[]>`
      select state, attempt, created_at < now() - interval '6 seconds' as late from operations where kind = 'fork'`;

  /** Replaces the first worker by one with other settings. */
  async function replaceWorker(env: Record<string, string>) {
    await cluster.workers[0]?.stop();
    return cluster.startWorker(env);
  }

  it('C7 reports no success when the fork has failed while its worker was frozen', async () => {
    const frozen = await replaceWorker({ TRUNKLINE_FORK_WAIT: '5' });
    const asker = await openWorkerAsker(cluster);
    try {
      const call = caught((await asker.as('admin')).call('fork_repo', args));
      await eventually(forks, (rows) => rows.length > 0);
      process.kill(frozen.pid, 'SIGSTOP');
      await writeFile(join(directory, 'fail'), '');
      await cluster.startWorker();
      await eventually(forks, ([row]) => row?.state === 'failed' && row.late);
      process.kill(frozen.pid, 'SIGCONT');
      await expect(call).rejects.toThrow(failure);
    } finally {
      await asker.close();
    }
  });

  it('E12 answers as usual when the database connection is cut at its end: the fork begins anew', async () => {
    const line = await startCuttableProxy(cluster.database.workerUrl);
    try {
      await replaceWorker({ TRUNKLINE_DATABASE_URL: line.url, TRUNKLINE_FORK_WAIT: '20' });
      await letGitGoOn();
      const end = "new.state = 'done' and new.kind = 'fork'";
      const hold = await holdUpdates({ sql, databaseUrl: cluster.databaseUrl }, 'state on operations', end);
      const call = admin.call('fork_repo', args);
      await hold.reached();
      line.cut();
      await hold.release();
      expect(await call).toMatchObject({
        error: null,
        result: { msg: 'Created fork of `source` as `group/fork`', success: true, task: null },
      });
      expect(await forks()).toMatchObject([{ state: 'done', attempt: 2 }]);
      expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
    } finally {
      await line.close();
    }
  });
});
