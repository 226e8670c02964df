import { hostname } from 'node:os';
import { createSecretVault } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { trunklinectl } from '../harness/trunklinectl.ts';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let env: Record<string, string>;
beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    storages: ['second'],
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1 });
  env = {
    TRUNKLINE_DATABASE_URL: cluster.database.workerUrl,
    TRUNKLINE_NATS_URL: cluster.nats.gatewayUrl,
    TRUNKLINE_SECRET: cluster.secret,
  };
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

interface Status {
  readonly processes: readonly { readonly role: string; readonly id: string; readonly host: string }[];
  readonly storages: readonly { readonly name: string; readonly state: string; readonly repositories: number }[];
}

const readStatus = async (): Promise<Status> => {
  const ran = await eventually(
    () => trunklinectl(['--json', 'status'], { env }),
    ({ exitCode }) => exitCode === 0,
  );
  return JSON.parse(ran.stdout);
};

it('lists processes, storages and slots, as a gateway may, too', async () => {
  await admin.result('create_repo', { repo_name: 'one', repo_type: 'git', storage: 'second' });
  const { processes, storages } = await readStatus();
  expect(processes.map(({ role, host }) => [role, host])).toEqual([
    ['gateway', hostname()],
    ['vcs-worker', hostname()],
  ]);
  expect(storages.map(({ name, state, repositories }) => [name, state, repositories])).toEqual([
    ['default', 'active', 0],
    ['second', 'active', 1],
  ]);
  const asGateway = await eventually(
    () => trunklinectl(['status'], { env: { ...env, TRUNKLINE_DATABASE_URL: cluster.database.gatewayUrl } }),
    ({ exitCode }) => exitCode === 0,
  );
  expect(asGateway.stdout).toMatch(/^worker +[0-9a-f]{8} .* metadata 0\/64 /m);
  expect(asGateway.stdout).toMatch(/^second +active +1 /m);
});

it('refuses the bus of workers, whose user may not ask', async () => {
  const ran = await trunklinectl(['status'], { env: { ...env, TRUNKLINE_NATS_URL: cluster.nats.workerUrl } });
  expect(ran).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('use the settings of a gateway'),
  });
});

it('drains a storage as the first administrator', async () => {
  const ran = await trunklinectl(['drain', 'second'], { env });
  expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('storage `second` is draining') });
  const [row] = await sql`select state, drained_by_id = (select id from users where username = 'admin') as "isAdmin"
    from storages where name = 'second'`;
  expect(row).toEqual({ state: 'draining', isAdmin: true });
  const entries = await admin.result<unknown[]>('get_audit_log', { method: 'update_storage' });
  const args = { storage: 'second', state: 'draining' };
  expect(entries).toMatchObject([{ username: 'trunklinectl', user_id: 0, args, outcome: 'succeeded' }]);
  await admin.result('update_storage', { storage: 'second', state: 'active' });
});

it('encrypts everything with the new secret', async () => {
  const made = await trunklinectl(['--json', 'rotate-secret', '--new'], { env: {} });
  const { secret } = JSON.parse(made.stdout) as { secret: string };
  const rotated = { ...env, TRUNKLINE_SECRET: secret, TRUNKLINE_OLD_SECRETS: cluster.secret };
  const ran = await trunklinectl(['rotate-secret'], { env: rotated });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(ran.stdout).not.toContain(secret);
  const ids = await sql<{ id: string }[]>`select distinct secret_id as id from api_keys`;
  expect(ids.map(({ id }) => id)).toEqual([createSecretVault(secret).secretId]);
  const back = await trunklinectl(['rotate-secret'], {
    env: { ...env, TRUNKLINE_SECRET: cluster.secret, TRUNKLINE_OLD_SECRETS: secret },
  });
  expect(back).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await trunklinectl(['rotate-secret'], { env: { ...env, TRUNKLINE_SECRET: secret } })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('neither TRUNKLINE_SECRET nor'),
  });
});

it('stops a worker of this machine, and no other', async () => {
  expect(await trunklinectl(['drain', 'ffffffff'], { env })).toMatchObject({
    exitCode: 1,
    stderr: 'neither a storage nor a worker that answers is called `ffffffff`\n',
  });
  const { processes } = await readStatus();
  const worker = processes.find(({ role }) => role === 'vcs-worker');
  const ran = await eventually(
    () => trunklinectl(['drain', worker?.id.slice(0, 8) ?? ''], { env }),
    ({ exitCode }) => exitCode === 0,
  );
  expect(ran.stdout).toBe(`worker ${worker?.id} has ended its work and stopped\n`);
  const left = await trunklinectl(['--json', 'status'], { env });
  expect(left.exitCode).toBe(1);
  expect((JSON.parse(left.stdout) as Status).processes.map(({ role }) => role)).toEqual(['gateway']);
});
