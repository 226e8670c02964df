import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { createWebClient } from '../harness/web-client.ts';

/** Default of TRUNKLINE_GATEWAY_CONNECTIONS. */
const gatewayConnections = 3;
const rounds = 20;
const password = 'correct horse battery';
const names = ['ann', 'ben', 'cat', 'dan'];

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
});

async function makeVisitor(username: string) {
  await admin.result('create_user', { username, email: `${username}@example.org`, password });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: username });
  const web = createWebClient(cluster.baseUrl);
  await web.signIn(username, password);
  return { username, web, client: createClient(cluster.baseUrl, api_key) };
}

type Visitor = Awaited<ReturnType<typeof makeVisitor>>;

/** Opens a page, signs out, and signs in elsewhere; returns the statuses. */
async function comeAndGo({ username, web }: Visitor): Promise<number[]> {
  const page = await web.get('/');
  const out = await web.submit('/', '/_admin/logout', {});
  const elsewhere = await createWebClient(cluster.baseUrl).signIn(username, password);
  return [page.status, out.status, elsewhere.status];
}

async function waitingStatements(): Promise<number> {
  const waiting = await sql`select from pg_stat_activity where datname = current_database()
    and application_name like 'gateway%' and wait_event_type = 'Lock'`;
  return waiting.length;
}

it('E6 while rows of users, keys and sessions are held, the gateway keeps a connection for others', async () => {
  const visitors = await Promise.all(names.map(makeVisitor));
  const other = await makeVisitor('eve');
  await sql`update sessions set last_seen_at = now() - interval '5 minutes'`;
  const holder = postgres(cluster.databaseUrl, { max: 1 });
  try {
    await holder.begin(async (tx) => {
      await tx`select from users where username = any(${names}) for update`;
      await tx`select from sessions for update`;
      await tx`select from api_keys for update`;
      const statuses = Promise.all(visitors.map(comeAndGo));
      statuses.catch(() => {});
      for (let round = 0; round < rounds; round += 1) {
        expect(await waitingStatements()).toBeLessThan(gatewayConnections);
        expect((await other.client.call('get_user')).error).toBeNull();
        expect((await other.web.get('/')).status).toBe(200);
      }
      expect(await statuses).toEqual(names.map(() => [200, 503, 503]));
    });
  } finally {
    await holder.end();
  }

  for (const { web } of visitors) expect((await web.submit('/', '/_admin/logout', {})).status).toBe(302);
  await visitors[0]?.client.result('get_user');
  await other.web.get('/');
  const used = () => sql`select from users u join api_keys k on k.user_id = u.id join sessions s on s.user_id != u.id
    where u.username = 'ann' and k.last_used_at is not null and s.last_seen_at > now() - interval '4 minutes'`;
  await eventually(used, (rows) => rows.length > 0);
});
