import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@trunkline/db';
import { guardedSpawn, natsServerPath } from '@trunkline/local';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { expectOne, storages, wrongIn } from '../harness/doctor.ts';
import { openTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const cluster = inject('cluster');

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-doctor-'));
  // The NATS server may run as another user when the tests run as root.
  await chmod(directory, 0o755);
});
afterAll(() => rm(directory, { recursive: true }));

async function makeDatabase(): Promise<{ database: TestDatabase; superuser: postgres.Sql }> {
  const database = await openTestDatabase(inject('postgresUrl'), `test_${randomBytes(6).toString('hex')}`);
  const superuser = postgres(database.url, { max: 1, onnotice: () => {} });
  onTestFinished(() => superuser.end());
  return { database, superuser };
}

describe('database', () => {
  const changed = (change: (url: URL) => void) => {
    const url = new URL(cluster.database.workerUrl);
    change(url);
    return { TRUNKLINE_DATABASE_URL: url.href };
  };

  it.each([
    [changed((url) => (url.port = '1')), 'does not answer'],
    [changed((url) => (url.password = 'hidden')), 'refuses the connection'],
    [changed((url) => (url.pathname = '/nowhere')), 'refuses the connection'],
    [{ TRUNKLINE_SECRET: 'x'.repeat(32) }, 'neither TRUNKLINE_SECRET nor'],
    [{ TRUNKLINE_READ_CONNECTIONS: '1000', TRUNKLINE_WRITE_CONNECTIONS: '1000' }, 'This process opens up to 2001'],
  ])('%#: names what is wrong', async (env, what) => {
    const wrong = await wrongIn('database', env);
    expectOne(wrong, 'failure', what);
    expect(JSON.stringify(wrong)).not.toContain('hidden');
  });

  it('names a clock that differs', async () => {
    const wrong = await wrongIn('database', {}, { now: () => Date.now() + 3_600_000 });
    expectOne(wrong, 'failure', 'The clocks of this machine and of the database differ by');
  });

  it('names roles that do not exist', async () => {
    const wrong = await wrongIn('database', { TRUNKLINE_GATEWAY_ROLE: 'nobody' });
    expectOne(wrong, 'warning', 'The role of gateways does not exist');
  });

  it('names a missing schema, a missing administrator, a missing right and one too many', async () => {
    const { database, superuser } = await makeDatabase();
    const env = { TRUNKLINE_DATABASE_URL: database.workerUrl };
    expectOne(await wrongIn('database', env), 'failure', 'The database lacks the schema of this release');
    await migrate(database.ownerUrl);
    expectOne(await wrongIn('database', env), 'failure', 'There is no active administrator');
    await superuser`insert into users (username, username_key, admin) values ('root', 'root', true)`;
    expect(await wrongIn('database', env)).toEqual([]);

    await superuser`revoke insert on audit_log from trunkline_worker`;
    expectOne(await wrongIn('database', env), 'failure', 'The role `trunkline_worker` lacks insert on audit_log');
    await superuser`grant insert on audit_log to trunkline_worker`;
    await superuser`grant select (sealed) on api_keys to trunkline_gateway`;
    expectOne(await wrongIn('database', env), 'failure', '`trunkline_gateway` has select on api_keys (sealed)');
    await superuser`revoke select (sealed) on api_keys from trunkline_gateway`;
    await superuser`grant execute on function lo_create(oid) to trunkline_worker`;
    expectOne(await wrongIn('database', env), 'warning', '`trunkline_worker` may call `lo_create` of Postgres');
    await superuser`revoke execute on function lo_create(oid) from trunkline_worker`;
    await superuser`grant execute on function public.record_client_fetches to trunkline_gateway`;
    expectOne(await wrongIn('database', env), 'failure', '`trunkline_gateway` has execute on record_client_fetches');
  });
});

describe('bus', () => {
  it.each([
    ['nats://gateway:hidden@127.0.0.1:1', 'failure', 'no server of the bus answers'],
    [cluster.bus.gatewayUrl.replace(/:[^:@]+@/, ':hidden@'), 'failure', 'refuses the user or the password'],
    [cluster.bus.url, 'warning', 'may do more than gateways or workers need'],
  ] as const)('%#: names what is wrong', async (url, level, what) => {
    const wrong = await wrongIn('bus', { TRUNKLINE_NATS_URL: url });
    expectOne(
      wrong.filter((one) => !one.what.includes('vulnerabilities')),
      level,
      what,
    );
    expect(JSON.stringify(wrong)).not.toContain('hidden');
  });

  it('names messages that are too short, rights that are missing, and JetStream', async () => {
    const configPath = join(directory, 'nats.conf');
    const user = `{ user: less, password: "secret", permissions: { publish: ["trunkline.>"], subscribe: ["none"] } }`;
    const store = join(directory, 'jetstream');
    const lines = ['host: 127.0.0.1', 'port: -1', 'max_payload: 1000000', `jetstream { store_dir: "${store}" }`];
    await writeFile(configPath, [...lines, `authorization { users = [ ${user} ] }`, ''].join('\n'));
    const { child, ready } = await guardedSpawn({
      name: 'nats-server',
      command: natsServerPath(),
      args: ['-c', configPath],
      logPath: join(directory, 'nats-server.log'),
      stopSignal: 'SIGTERM',
      user: null,
      readyPattern: /client connections on 127\.0\.0\.1:(\d+)[^]*Server is ready/,
    });
    onTestFinished(() => child.stop());
    const wrong = await wrongIn('bus', { TRUNKLINE_NATS_URL: `nats://less:secret@127.0.0.1:${ready[1]}` });
    expect(wrong.map(({ what }) => what).filter((what) => !what.includes('vulnerabilities'))).toEqual([
      expect.stringContaining('Messages on the bus may have 1.0 MB only'),
      'JetStream is on, which nothing uses.',
      expect.stringMatching(/^The user of TRUNKLINE_NATS_URL may not subscribe trunkline\.inbox\.gateway\./),
    ]);
  });
});

describe('storages', () => {
  const [[name, root] = ['', '']] = storages;
  const at = (path: string) => ({ TRUNKLINE_STORAGES: `${name}=${path}` });

  it.each([
    ['The database knows no storage `unknown`', { TRUNKLINE_STORAGES: `unknown=${root}` }],
    ['has no marker of a storage', at('/nowhere')],
    ['has the marker of another storage', at(storages[1]?.[1] ?? '')],
    ['is nearly full', { ...at(root), TRUNKLINE_STORAGE_FREE_BYTES_MIN: String(9e14) }],
  ])('names: %s', async (what, env) => expectOne(await wrongIn('storages', env), 'failure', what));

  it('warns of one before it is full', async () => {
    const { bavail, blocks, bsize } = await statfs(root);
    const freeBytesMin = Math.max(Math.round((bavail - blocks / 20) * bsize), 1);
    const env = { ...at(root), TRUNKLINE_STORAGE_FREE_BYTES_MIN: String(freeBytesMin) };
    expectOne(await wrongIn('storages', env), 'warning', 'is filling: it has ');
  });

  it('names one in which no file can be written', async () => {
    const copy = join(directory, 'storage');
    await mkdir(copy);
    await copyFile(join(root, '.trunkline-storage'), join(copy, '.trunkline-storage'));
    await writeFile(join(copy, '@staging'), '');
    expectOne(await wrongIn('storages', at(copy)), 'failure', 'fails.');
  });
});

describe('processes', () => {
  it('names data ports that cannot be reached', async () => {
    const wrong = await wrongIn('processes', { TRUNKLINE_DATA_NETWORKS: '10.0.0.0/8' });
    expect(wrong.filter(({ what }) => what.includes('its address does not lie in'))).not.toEqual([]);
  });

  it('names processes that do not answer, and storages without a worker', async () => {
    const { database, superuser } = await makeDatabase();
    await migrate(database.ownerUrl);
    await superuser`insert into storages (id, name) values (${randomUUID()}, 'away')`;
    const id = randomUUID();
    const silent = postgres(database.workerUrl, {
      max: 1,
      connection: { application_name: `vcs-worker ${id} reads 1` },
    });
    onTestFinished(() => silent.end());
    await silent`select 1`;
    const env = { TRUNKLINE_DATABASE_URL: database.workerUrl, TRUNKLINE_SECRET: 'x'.repeat(32) };
    const wrong = (await wrongIn('processes', env)).map(({ what }) => what);
    expect(wrong).toContain(`The process vcs-worker ${id} does not answer.`);
    expect(wrong).toContain('No worker serves the storage `away`.');
  });

  it('says that the user of workers may not ask', async () => {
    const wrong = await wrongIn('processes', { TRUNKLINE_NATS_URL: cluster.bus.workerUrl });
    expectOne(wrong, 'warning', 'may not ask processes for their state');
  });
});
