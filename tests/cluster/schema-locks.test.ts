import { randomUUID } from 'node:crypto';
import { migrate } from '@trunkline/db';
import { createDatabase } from '@trunkline/local';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { createFormerSchema, listMigrations } from '../harness/former-schema.ts';
import { previousRelease } from '../harness/previous-release.ts';
import { waitingForLocks } from '../harness/waiting-for-locks.ts';

let url: string;
let sql: postgres.Sql;
beforeEach(async () => {
  url = await createDatabase(inject('postgresUrl'), `test_${randomUUID().replaceAll('-', '').slice(0, 12)}`);
  sql = postgres(url, { max: 3, onnotice: () => {} });
  const all = await listMigrations();
  const former = all.findIndex(({ tag }) => tag === previousRelease.lastMigration) + 1;
  await createFormerSchema(sql, all.slice(0, former));
});
afterEach(() => sql.end());

/** Begins to migrate, which locks user_groups first, and calls `act` once a lock of `holder` on repositories is awaited. */
async function migrateBeside(act: (holder: postgres.TransactionSql) => Promise<unknown>): Promise<void> {
  const { migrating } = await sql.begin(async (holder) => {
    // The other side of a deadlock finds it.
    await holder`set local deadlock_timeout = '10min'`;
    await holder`lock table repositories in row exclusive mode`;
    const begun = migrate(url);
    begun.catch(() => {});
    await eventually(
      () => waitingForLocks(sql),
      (waiting) => waiting.length > 0,
    );
    await act(holder);
    return { migrating: begun };
  });
  await migrating;
}

const isComplete = async () =>
  (await sql`select 1 from pg_indexes where indexname = 'repositories_owner_id_name_index'`).length === 1;

it('a migration that deadlocks with a transaction of a running process is made anew', async () => {
  await migrateBeside((holder) => holder`lock table user_groups in row exclusive mode`);
  expect(await isComplete()).toBe(true);
});

it('writes that wait behind a migration go on before the long transaction has ended for which it waits', async () => {
  await migrateBeside(() => sql.begin((tx) => tx`lock table user_groups in row exclusive mode`));
  expect(await isComplete()).toBe(true);
});
