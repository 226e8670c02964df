import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';

let cluster: Cluster;
let admin: Client;

const rows = 50_000;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  const sql = postgres(cluster.databaseUrl, { max: 1 });
  await sql`insert into operations (id, kind, repository_id, request, state, created_at, finished_at)
    select gen_random_uuid(), 'pull', n, '{}', 'done', now() - make_interval(secs => n), now()
    from generate_series(1, ${rows}::int) n`;
  await sql`insert into audit_log (request_id, at, actor_id, actor, ip, method, args, outcome)
    select id, created_at, 1, repository_id, '', 'pull', '{}', 'succeeded' from operations order by created_at`;
  await sql.end();
});
afterAll(() => cluster.stop());

/** Reads a list without `limit`, page by page from its beginning, and returns how long each page is. */
async function readPages(method: string, idName: string, pages: number) {
  const ids: unknown[] = [];
  const lengths: number[] = [];
  for (let page = 0; page < pages; page += 1) {
    const entries = await admin.result<Record<string, unknown>[]>(method, { cursor: ids.at(-1) ?? null });
    lengths.push(entries.length);
    ids.push(...entries.map((entry) => entry[idName]));
  }
  return { lengths, distinct: new Set(ids).size };
}

describe('lists of what was done, without `limit`', () => {
  it.each([
    ['get_audit_log', 'audit_id'],
    ['list_operations', 'operation_id'],
  ])('%s returns pages of 100 entries, however many there are', async (method, idName) => {
    expect(await readPages(method, idName, 3)).toEqual({ lengths: [100, 100, 100], distinct: 300 });
  });

  it('a page has at most 10,000 entries', async () => {
    for (const method of ['get_audit_log', 'list_operations']) {
      expect(await admin.result(method, { limit: 10_000 })).toHaveLength(10_000);
      expect(await admin.error(method, { limit: rows })).toMatch(/^Invalid value for `limit`: /);
    }
  });
});
