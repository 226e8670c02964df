import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { startGateProxy, type GateProxy } from '../harness/gate-proxy.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';

interface Operation {
  readonly operation_id: string;
  readonly state: string;
  readonly progress: { phase: string; done: number; total: number | null; unit?: string } | null;
}

const files = 400;
const fileBytes = 4_000;
/** What the remote sends at a time. A heartbeat, one a second, records the progress; hg compresses larger pieces. */
const stepBytes = 16_000;

let cluster: Cluster;
let admin: Client;

beforeAll(async () => {
  const env = { TRUNKLINE_LEASE_SECONDS: '3' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
});
afterAll(() => cluster.kill());

/** Creates files of random bytes, which cannot be compressed. */
const freshFiles = (prefix: string) =>
  Object.fromEntries(
    Array.from({ length: files }, (_, index) => [`${prefix}${index}`, randomBytes(fileBytes).toString('latin1')]),
  );

async function theRunning(): Promise<Operation> {
  const running = await eventually(
    () => admin.result<Operation[]>('list_operations', { state: 'running' }),
    (operations) => operations.length === 1,
  );
  return running[0] ?? expect.fail('none runs');
}

describe.each([
  ['git', 'receiving objects', 'objects'],
  ['hg', 'receiving files', 'files'],
] as const)('a slow remote, %s', (type, phase, unit) => {
  let remote: Remote;
  let gate: GateProxy;
  beforeEach(async () => {
    remote = await makeRemote[type]();
    await remote.commit(freshFiles('a'));
    gate = await startGateProxy(remote.url);
  });
  afterEach(async () => {
    await gate.close();
    await remote.close();
  });

  /** Lets the remote send in small steps, and expects the progress of the running operation to grow. */
  async function watch(): Promise<void> {
    const { operation_id } = await theRunning();
    const ask = () => {
      gate.open(stepBytes);
      return admin.result<Operation>('get_operation', { operation_id });
    };
    const beyond = (least: number) =>
      eventually(ask, ({ progress }) => progress?.phase === phase && progress.done > least);
    const early = (await beyond(0)).progress;
    expect(early).toEqual({ phase, done: expect.any(Number), total: expect.any(Number), unit });
    const late = (await beyond(early?.done ?? 0)).progress;
    expect(late?.total).toBe(early?.total);
    expect(late?.done).toBeLessThan(late?.total ?? 0);
    gate.open(1e9);
    const ended = await admin.result<Operation>('wait_operation', { operation_id, timeout: 20 });
    expect(ended).toMatchObject({ state: 'done', progress: null });
  }

  it('is imported from, and the progress grows', async () => {
    gate.open((files * fileBytes) / 2);
    const args = { repo_name: `imported-${type}`, repo_type: type, clone_uri: gate.url };
    const [created] = await Promise.all([admin.call('create_repo', args), watch()]);
    expect(created.error).toBeNull();
  });

  it('is pulled from, and the progress grows', async () => {
    await admin.result('create_repo', { repo_name: `pulled-${type}`, repo_type: type });
    await admin.result('update_repo', { repoid: `pulled-${type}`, clone_uri: gate.url });
    gate.open((files * fileBytes) / 2);
    const [pulled] = await Promise.all([admin.call('pull', { repoid: `pulled-${type}` }), watch()]);
    expect(pulled.error).toBeNull();
  });
});
