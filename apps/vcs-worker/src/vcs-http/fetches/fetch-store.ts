import { clientFetches, type Database, type Db } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import type { Batch, Removed } from '../../jobs/sweeps/remove-in-batches.ts';
import type { FetchCount } from './fetch-counts.ts';

const periodSeconds = 600;

/** Adds to the counts of the last ten minutes; users and repositories that are gone are passed over. */
export async function recordFetches(db: Database, counts: readonly FetchCount[]): Promise<void> {
  const list = (values: readonly number[]) => `{${values.join(',')}}`;
  await db.execute(sql`select record_client_fetches(${list(counts.map(({ userId }) => userId))}::int[],
    ${list(counts.map(({ repositoryId }) => repositoryId))}::int[], ${list(counts.map(({ count }) => count))}::int[])`);
}

/** Removes a batch of the counts that are older than so many days. */
export async function removeOldFetches(
  db: Db,
  days: number,
  { from, rowsMax }: Batch<number>,
): Promise<Removed<number>> {
  const before = sql`floor(extract(epoch from now() - make_interval(days => ${days}::int)) / ${periodSeconds}::int)::int`;
  const old = sql`select id from ${clientFetches} where period >= ${from ?? 0}::int and period < ${before}
    order by period limit ${rowsMax}::int`;
  const [row] = await db.execute(sql`with gone as (
      delete from ${clientFetches} where id = any(array(${old})) returning period)
    select count(*)::int as rows, max(period) as last from gone`);
  const rows = Number(row?.['rows']);
  return { rows, last: rows === 0 ? null : Number(row?.['last']) };
}
