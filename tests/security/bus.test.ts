import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { decodeError, gatewayInboxes, laneNames, methods, served, subjects } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import type { Bus } from '@trunkline/runtime';
import type { Msg } from 'nats';
import postgres from 'postgres';
import { afterAll, assert, beforeAll, describe, expect, inject, it } from 'vitest';
import { encodeCommand } from '../../apps/gateway/src/dispatch/encode-command.ts';
import { connectBusUser, type BusUser } from '../harness/bus-user.ts';
import { createClient, post, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { connectGatewayBus } from '../harness/connect-gateway-bus.ts';
import { eventually } from '../harness/eventually.ts';
import { createWebClient } from '../harness/web-client.ts';

const maxPayloadBytes = 64 * 1024;
const unavailable = 'Service is temporarily unavailable, try again later';
const password = `password-${randomBytes(8).toString('hex')}`;
const remotePassword = `remote-${randomBytes(8).toString('hex')}`;
const hostile = [
  'a.>',
  '*',
  '>',
  'a.*.b',
  'a b',
  'a\r\nPUB trunkline.rpc.metadata.delete_user 0',
  '$SYS.REQ',
  '..',
  'ü.é',
];

let cluster: Cluster;
/** The administrator, by an additional key: records of users, also of followers, hold the built-in one. */
let admin: Client;
let key: string;
let sql: postgres.Sql;
let observer: BusUser;
let gateway: Bus;
/** All messages that were published on the bus. */
let seen: readonly Msg[];

async function createKey(): Promise<string> {
  const builtIn = createClient(cluster.baseUrl, cluster.adminKey);
  return (await builtIn.result<{ api_key: { api_key: string } }>('create_api_key')).api_key.api_key;
}

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 2, maxPayloadBytes });
  key = await createKey();
  admin = createClient(cluster.baseUrl, key);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  observer = await connectBusUser(cluster.nats.url);
  seen = (await observer.listen('>')).messages;
  gateway = await connectGatewayBus(cluster);
  // Their records together exceed the size of a message, so that the answer to `get_repos` comes over the data port.
  await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      admin.result('create_repo', { repo_name: `large${i}`, repo_type: 'git', description: 'x'.repeat(9_000) }),
    ),
  );
});
afterAll(async () => {
  await Promise.all([gateway.close(), observer.close(), sql.end()]);
  await cluster.stop();
});

/** Makes a call with the name in its arguments, and returns the command that was published for the call. */
async function commandOf(name: string, call: () => Promise<unknown>): Promise<Msg> {
  const from = seen.length;
  await call();
  await observer.nc.flush();
  const sent = seen.slice(from).filter(({ subject, data }) => {
    return subject.startsWith('trunkline.rpc.') && Buffer.from(data).includes(name);
  });
  const [command] = sent;
  assert(command, `no command with ${name}`);
  return command;
}

/** Sends these bytes as a command with a gateway's credentials, and returns the text of the error. */
async function errorOf(subject: string, command: Uint8Array): Promise<string> {
  const { payload, isError } = await gateway.request(subject, command, 30_000);
  const bytes = payload instanceof Uint8Array ? payload : await buffer(payload.stream);
  return isError ? decodeError(bytes).message : `no error: ${Buffer.from(bytes).toString()}`;
}

const count = async (rows: postgres.PendingQuery<postgres.Row[]>): Promise<number> =>
  Number((await rows)[0]?.['count']);
const audited = () => sql`select request_id, outcome, error from audit_log order by id`;

const laneWords = laneNames.map((lane) => (lane === 'metadata' ? lane : `${lane}.default`));

/** Returns whether a subject is one that the service may use. */
function fits(subject: string): boolean {
  const [first, kind, ...rest] = subject.split('.');
  const word = /^[A-Za-z0-9]{8,}$/;
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  // The lane `metadata`, or another lane and the name of a storage, of which this cluster has one.
  const isLane = (words: readonly string[]) => laneWords.includes(words.join('.'));
  if (first !== 'trunkline') return false;
  if (kind === 'rpc') return isLane(rest.slice(0, -1)) && Object.hasOwn(served, rest.at(-1) ?? '');
  if (kind === 'direct') return uuid.test(rest[0] ?? '') && Object.hasOwn(served, rest[1] ?? '') && rest.length === 2;
  const isPing = isLane(rest) || subject === subjects.dataPorts || subject === subjects.runningReads;
  if (kind === 'ping') return isPing;
  if (subject.startsWith(`${gatewayInboxes}.`)) return rest.length < 4 && rest.slice(1).every((one) => word.test(one));
  return kind === 'event' && Object.values<unknown>(subjects).includes(subject);
}

/** Returns the subject of a message, and which members it has, without any value. */
function kindOf({ subject, data }: Msg): string {
  const names =
    Buffer.from(data)
      .toString('latin1')
      .match(/"\w{1,40}":/g) ?? [];
  return `${subject} ${[...new Set(names)].join('')}`;
}

describe('the traffic on the bus', () => {
  // On a busy machine a read may be taken for lost, and is then sent again on a subject of the kind `direct`.
  const kinds = () => new Set(seen.map(({ subject }) => subject.split('.')[1]).filter((kind) => kind !== 'direct'));

  beforeAll(async () => {
    for (const name of hostile) {
      const path = encodeURIComponent(name);
      await Promise.all([
        admin.call('create_repo', { repo_name: name, repo_type: 'git' }),
        admin.call('get_repo', { repoid: name }),
        admin.call('get_repo_nodes', { repoid: name, revision: name, root_path: name }),
        admin.call('create_user', { username: name, email: `${name}@example.com`, password }),
        admin.call('create_repo_group', { group_name: name }),
        post(cluster.baseUrl, JSON.stringify({ id: 1, api_key: key, method: name, args: {} })),
        fetch(`${cluster.baseUrl}/${path}/files/${path}/${path}?api_key=${key}`),
        fetch(`${cluster.baseUrl}/${path}`),
      ]);
    }
    await admin.result('create_user', { username: 'ann', email: 'ann@example.com', password });
    const clone_uri = `https://ann:${remotePassword}@127.0.0.1:1/x`;
    await admin.call('create_repo', { repo_name: 'remote', repo_type: 'git', clone_uri });
    await admin.result('get_repos');
    // Its record holds the built-in key of the administrator, who follows it.
    await admin.result('get_repo', { repoid: 'large0' });
    await fetch(`${cluster.baseUrl}/readyz`);
    await eventually(
      async () => kinds(),
      (all) => all.size === 4,
    );
  });

  it('E1 has no subject that holds a name', () => {
    expect(seen.map(({ subject }) => subject).filter((subject) => !fits(subject))).toEqual([]);
    const replies = seen.flatMap(({ reply }) => (reply ? [reply] : []));
    expect(replies.filter((subject) => !fits(subject))).toEqual([]);
    expect(kinds()).toEqual(new Set(['event', 'inbox', 'ping', 'rpc']));
  });

  it('E2 never holds the key, session or password of the caller, nor a password that a call sets', async () => {
    const web = createWebClient(cluster.baseUrl);
    expect((await web.signIn('ann', password)).status).toBe(302);
    const cookie = [...web.cookies.values()].find((value) => value.length > 40);
    assert(cookie !== undefined, 'no session');
    expect((await web.get('/_admin/my_account')).status).toBe(200);
    await observer.nc.flush();
    const all = Buffer.concat(seen.map(({ data }) => Buffer.from(data)));
    expect(all.includes('ann@example.com')).toBe(true);
    const secrets = { key, password, remotePassword, cookie, secret: cluster.secret };
    const parts = Object.entries(cookie.split('.')).map(
      ([index, part]) => [`part ${index} of the cookie`, part] as const,
    );
    const held = [...Object.entries(secrets), ...parts].filter(([, secret]) => all.includes(secret));
    const kindsWith = (secret: string) => seen.filter(({ data }) => Buffer.from(data).includes(secret)).map(kindOf);
    expect(held.map(([name, secret]) => [name, kindsWith(secret)])).toEqual([]);
  });
});

describe('a command that is replayed', () => {
  it('E2 creates nothing twice, on any worker', async () => {
    const { subject, data } = await commandOf('api-key-one', () =>
      admin.result('create_api_key', { description: 'api-key-one' }),
    );
    const [keys, log] = [await count(sql`select count(*) from api_keys`), await audited()];
    for (const error of await Promise.all(Array.from({ length: 8 }, () => errorOf(subject, data)))) {
      expect(error).toBe(unavailable);
    }
    expect(await count(sql`select count(*) from api_keys`)).toBe(keys);
    expect(await audited()).toEqual(log);
  });

  it.each(['hg', 'git'])(
    'E2 deletes no %s repository that was created since under the same name',
    async (repo_type) => {
      const repo_name = `again-${repo_type}`;
      await admin.result('create_repo', { repo_name, repo_type });
      const { subject, data } = await commandOf(repo_name, () => admin.result('delete_repo', { repoid: repo_name }));
      await admin.result('create_repo', { repo_name, repo_type });
      const log = await audited();
      expect(await errorOf(subject, data)).toBe(unavailable);
      expect(await admin.result('get_repo', { repoid: repo_name })).toMatchObject({ repo_name });
      expect(await audited()).toEqual(log);
    },
  );

  it.each([
    ['has an entry of its own', 0],
    ['was only counted', 50],
  ])('E2 does not run when its refusal %s, and changes nothing in the audit log', async (_what, before) => {
    const [username, group_name] = [`bob${before}`, `group-of-bob${before}`];
    await admin.result('create_user', { username, email: `${username}@example.com`, password });
    const { api_key } = await admin.result<{ api_key: string }>('get_user', {
      userid: username,
    });
    await sql`insert into refusal_counts (actor_id, since, count)
      select id, now() + interval '1 day', ${before} from users where username = ${username}`;
    const { subject, data } = await commandOf(group_name, () =>
      createClient(cluster.baseUrl, api_key).error('create_repo_group', { group_name }),
    );
    await admin.result('update_user', { userid: username, admin: true });
    const log = await audited();
    expect(await errorOf(subject, data)).toBe(unavailable);
    expect(await admin.result('get_repo_group', { repogroupid: group_name })).toBeNull();
    expect(await audited()).toEqual(log);
  });
});

describe('a command that was not sent by a gateway in this form', () => {
  const request = () => ({
    args: { description: 'forged' },
    caller: { userId: 1, ip: '127.0.0.1', credential: { kind: 'key', id: 1 } } as const,
    requestId: crypto.randomUUID(),
    timeoutMs: 5_000,
    sentAt: Date.now(),
  });
  const subject = subjects.rpc('metadata', null, 'create_api_key');

  it('is refused as busy, run by nobody and logged when no worker reads its format', async () => {
    const own = encodeCommand(createSecretVault(cluster.secret), methods.create_api_key, request());
    const later = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(own.subarray(32)).toString()), format: 9 }));
    const keys = await count(sql`select count(*) from api_keys`);
    const signature = createSecretVault(cluster.secret).hmac('bus command', later);
    expect(await errorOf(subject, Buffer.concat([signature, later]))).toBe('Service is busy, try again later');
    expect(await count(sql`select count(*) from api_keys`)).toBe(keys);
    await eventually(
      () => cluster.logs(),
      (text) => text.includes('its format is 9, and this release reads 1'),
    );
  });

  it('E2 is refused when it was altered, signed with another secret, or not at all', async () => {
    const { data } = await commandOf('api-key-two', () =>
      admin.result('create_api_key', { description: 'api-key-two' }),
    );
    const altered = Buffer.from(data);
    altered.write('x', altered.indexOf('api-key-two'));
    const other = createSecretVault(randomBytes(32).toString('hex'));
    const foreign = encodeCommand(other, methods.create_api_key, request());
    const keys = await count(sql`select count(*) from api_keys`);
    for (const command of [altered, data.subarray(32), foreign, new Uint8Array(), new Uint8Array(100)]) {
      expect(await errorOf(subject, command)).toBe(unavailable);
    }
    expect(await count(sql`select count(*) from api_keys`)).toBe(keys);
    // A line may be written after the answer was sent.
    await eventually(
      () => cluster.logs(),
      (text) => text.includes('it is not signed by a gateway with the same TRUNKLINE_SECRET'),
    );
  });

  it('E2 is refused when it is old or from the future, and the log has that the clocks differ', async () => {
    const vault = createSecretVault(cluster.secret);
    const keys = await count(sql`select count(*) from api_keys`);
    for (const minutes of [-6, 6]) {
      const late = { ...request(), sentAt: Date.now() + minutes * 60_000 };
      expect(await errorOf(subject, encodeCommand(vault, methods.create_api_key, late))).toBe(unavailable);
    }
    expect(await count(sql`select count(*) from api_keys`)).toBe(keys);
    // The harness writes what a process logs to a file, a moment later.
    await eventually(cluster.logs, (logs) => logs.includes('the clocks of the machines differ'));
  });
});

describe('a bus with small messages', () => {
  it('E3 delivers the whole of an answer that is larger than a message', async () => {
    const repositories = await admin.result<{ description: string }[]>('get_repos');
    const lengths = repositories.map(({ description }) => description.length);
    expect(lengths.filter((length) => length === 9_000)).toHaveLength(8);
    expect(JSON.stringify(repositories).length).toBeGreaterThan(maxPayloadBytes);
  });

  it('E3 refuses a call that is larger than a message at once, with an error that names the limit', async () => {
    const description = 'x'.repeat(maxPayloadBytes);
    expect(await admin.error('create_api_key', { description })).toBe(
      `Request body is too large (limit ${maxPayloadBytes} bytes)`,
    );
    expect(await admin.result('test', { args: 1 })).toBe(1);
  });
});
