import { migrate, roleNames } from '@trunkline/db';
import postgres from 'postgres';
import * as v from 'valibot';
import { afterEach, expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { readReadiness } from '../harness/readiness.ts';

/** Has an app migrate, or wait, by itself. */
const byItself = { TRUNKLINE_MIGRATE_URL: '' };

const forSchema = 'waits for the schema of this release';
const forRight = 'lacks update on users (last_login)';

const Line = v.object({ port: v.number() });

let cluster: Cluster | undefined;
afterEach(() => cluster?.stop());

const startNone = async () =>
  (cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 0, withoutSchema: true }));

/** Waits until a process of this role waits for what the text names; returns its origin, at which it says so. */
async function waiting(role: string, text: string, missing: string): Promise<string> {
  const parts = [`"role":"${role}"`, text];
  const isOne = (line: string) => parts.every((part) => line.includes(part)) && line.endsWith('}');
  const said = async () => (await cluster?.logs())?.split('\n').find(isOne) ?? null;
  const { port } = v.parse(Line, JSON.parse(String(await eventually(said, (line) => line !== null, 120))));
  const origin = `http://127.0.0.1:${port}`;
  expect(await readReadiness(origin)).toMatchObject({ status: 503, missing: [missing] });
  return origin;
}

it(
  'E16 without the URL of the owner, processes wait for schema and rights, say so once, and then serve',
  { timeout: 240_000 },
  async () => {
    const { database, adminKey, logs, startGateway, startWorker } = await startNone();
    const gateway = startGateway(byItself);
    const worker = startWorker(byItself);
    const [origin] = await Promise.all([
      waiting('gateway', forSchema, 'schema'),
      waiting('vcs-worker', forSchema, 'schema'),
    ]);
    await expect(fetch(`${origin}/_admin/api`)).rejects.toThrow('fetch failed');

    await startWorker({ TRUNKLINE_MIGRATE_URL: database.ownerUrl });
    const [{ baseUrl }] = await Promise.all([gateway, worker]);
    expect(await createClient(baseUrl, adminKey).call('get_user')).toMatchObject({ error: null });

    const sql = postgres(database.url, { max: 1 });
    await sql`revoke update (last_login) on users from ${sql(roleNames.gateway)}`;
    await sql.end();
    const later = startGateway(byItself);
    await waiting('gateway', forRight, 'database rights');
    await migrate(database.ownerUrl);
    await later;

    const text = await logs();
    expect(text.split(forSchema)).toHaveLength(3);
    expect(text.split(forRight)).toHaveLength(2);
  },
);

it('a process whose own role owns the database migrates, as in earlier releases, and gives the others their rights', async () => {
  const { database, adminKey, startGateway, startWorker } = await startNone();
  await startWorker({ ...byItself, TRUNKLINE_DATABASE_URL: database.ownerUrl });
  const { baseUrl } = await startGateway(byItself);
  expect(await createClient(baseUrl, adminKey).call('get_user')).toMatchObject({ error: null });
});
