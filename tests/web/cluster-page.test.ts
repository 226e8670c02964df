import { randomUUID } from 'node:crypto';
import { encodeState, splitSignature, stateRequestIdOf, subjects, type ProcessState } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { signState } from '@trunkline/runtime';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectBusUser, type BusUser } from '../harness/bus-user.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { holdUpdates } from '../harness/hold-updates.ts';
import { suspend } from '../harness/suspend.ts';
import { createWebClient, type WebClient } from '../harness/web-client.ts';

const path = '/_admin/cluster';
const password = 'correct horse battery';

let cluster: Cluster;
let admin: Client;
let boss: WebClient;
let bus: BusUser;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 2, workers: 2 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_user', { username: 'boss', email: 'boss@example.com', password, admin: true });
  boss = createWebClient(cluster.baseUrls[1] ?? '');
  await boss.signIn('boss', password);
  bus = await connectBusUser(cluster.nats.workerUrl);
});
afterAll(async () => {
  await bus.close();
  await cluster.kill();
});

/** Returns the page once it has this text: on a busy machine, a process may need more than a second to answer. */
async function pageWith(shown: string): Promise<string> {
  return eventually(
    async () => (await boss.get(path)).text,
    (text) => text.includes(shown),
  );
}

const titles = (text: string) =>
  text.match(/<h3 id="process-[^"]+">(Gateway|Worker)/g)?.map((title) => title.slice(-7).replace('>', ''));

it('shows every gateway and worker, and the slots, storages, memory and age of each', async () => {
  const text = await pageWith('2 gateways and 2 workers answer.');
  expect(titles(text)).toEqual(['Gateway', 'Gateway', 'Worker', 'Worker']);
  expect(text.match(/shows this page/g)).toHaveLength(1);
  expect(text.match(/<dt>Version<\/dt><dd>\d+\.\d+\.\d+<\/dd>/g)).toHaveLength(4);
  expect(text.match(/<dt>Memory<\/dt><dd>\d+(\.\d)? MB/g)).toHaveLength(4);
  expect(text.match(/<dd>for [\d.]+ (s|minutes?) as process \d+ on /g)).toHaveLength(4);
  expect(text.match(/<dt>Storages<\/dt><dd>default<\/dd>/g)).toHaveLength(2);
  expect(text.match(/<td>wire-push<\/td><td class="number">0 of \d+<\/td>/g)).toHaveLength(2);
  expect(text).toContain('none since its start');
});

it('shows the calls and operations that run, in the gateway and in the worker', async () => {
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  const hold = await holdUpdates({ sql, databaseUrl: cluster.databaseUrl }, 'state on operations');
  const creating = admin.result('create_repo', { repo_name: 'held', repo_type: 'git' });
  await hold.reached();
  const text = await pageWith('1 call and <a href="/_admin/operations">1 operation</a>');
  expect(
    text.match(/<span>create_repo<\/span><span class="soft">storage<\/span><span class="number">[\d.]+ s</g),
  ).toHaveLength(2);
  expect(text).toMatch(/<span>create<\/span><span class="soft">operation</);
  expect(text).toMatch(/<td>storage<\/td><td class="number">1 of \d+<\/td>/);
  await hold.release();
  await creating;
  await sql.end();
});

it('shows what the last error of a process was about, and no key, password or URL', async () => {
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await sql`alter table user_emails rename to user_emails_away`;
  await admin.error('add_user_email', { userid: 'boss', email: 'secret-address@example.com' });
  await sql`alter table user_emails_away rename to user_emails`;
  await sql.end();
  const text = await pageWith('<code>call add_user_email PostgresError');
  expect(text).toMatch(/<code>call add_user_email PostgresError 42P01 \([0-9a-f-]{36}\)<\/code>/);
  const { username, password: databasePassword } = new URL(cluster.databaseUrl);
  const hidden = [
    cluster.adminKey,
    cluster.secret,
    password,
    'secret-address',
    'postgres:',
    'nats:',
    cluster.storageRoot,
  ];
  for (const secret of [...hidden, databasePassword || username, new URL(cluster.nats.workerUrl).password]) {
    expect([secret, text.includes(secret)]).toEqual([secret, false]);
  }
});

const forged: ProcessState = {
  id: randomUUID(),
  role: 'vcs-worker',
  version: '<script>alert(1)</script>\u202e',
  host: '"><img src=x>',
  pid: 1,
  seconds: 1,
  memoryBytes: 1,
  childMemoryBytes: 1,
  lanes: [{ lane: '<b>lane</b>', slots: 0, busy: 0 }],
  storages: ['<i>storage</i>'],
  calls: { count: 25, oldest: [{ id: '<u>id</u>', method: '<s>method</s>', lane: '<q>', ms: 1 }] },
  operations: { count: 1, oldest: [{ id: '<u>id</u>', kind: '<em>kind</em>', ms: 1 }] },
  lastError: { at: new Date(0).toISOString(), about: '<p>about</p>' },
};

it('escapes what processes tell, and ignores what is not signed with the secret', async () => {
  const vault = createSecretVault(cluster.secret);
  const stranger = createSecretVault('x'.repeat(32));
  const subscription = bus.nc.subscribe(subjects.stateRequest, {
    callback(_error, { data }) {
      const requestId = stateRequestIdOf(splitSignature(data).body);
      const unsigned = { ...forged, id: randomUUID(), host: 'stranger' };
      bus.nc.publish(subjects.stateAnswer, signState(stranger, encodeState(requestId, unsigned)));
      bus.nc.publish(subjects.stateAnswer, signState(vault, encodeState(requestId, forged)));
    },
  });
  await bus.nc.flush();
  const text = await pageWith('&lt;script&gt;');
  subscription.unsubscribe();
  expect(text).not.toMatch(/<script|<img|<b>|<i>|<u>|<s>|<q>|<em>|<p>about|\u202e|stranger/);
  expect(text).toContain('Processes of different versions run: ');
  expect(text).toContain('And 24 more.');
});

it('names a worker that stands still, and shows the others', async () => {
  const [frozen] = cluster.workers;
  await suspend(frozen?.pid ?? 0);
  const text = await pageWith('2 gateways and 1 worker answer');
  expect(text).toContain('1 process does not');
  expect(text.match(/does not answer<\/span>/g)).toHaveLength(1);
  expect(text).toMatch(/<code>vcs-worker [0-9a-f-]{36}<\/code>/);
});
