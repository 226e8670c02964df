import { randomUUID } from 'node:crypto';
import { migrate, NewerSchemaError } from '@trunkline/db';
import { createDatabase } from '@trunkline/local';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { release } from '../../packages/db/src/applied-migrations.ts';
import { createFormerSchema, listMigrations } from '../harness/former-schema.ts';
import { previousRelease } from '../harness/previous-release.ts';

let url: string;
let sql: postgres.Sql;
beforeEach(async () => {
  url = await createDatabase(inject('postgresUrl'), `test_${randomUUID().replaceAll('-', '').slice(0, 12)}`);
  sql = postgres(url, { max: 1, onnotice: () => {} });
});
afterEach(() => sql.end());

async function entriesOf() {
  const all = await listMigrations();
  const former = all.findIndex(({ tag }) => tag === previousRelease.lastMigration) + 1;
  return { former: all.slice(0, former), all };
}

const applied = async () =>
  (await sql`select created_at::float8 as at, release from drizzle.migrations order by id`).map(
    ({ at, release: by }) => [at, by],
  );
const formerlyListed = async () =>
  (await sql`select created_at::float8 as at from drizzle.__drizzle_migrations order by id`).map(({ at }) => at);

/** Records a migration that this release does not know. */
const applyLater = (by: number) =>
  sql`insert into drizzle.migrations (hash, created_at, release) values ('later', ${Date.now() + 86_400_000}, ${by})`;

it('what was applied is listed with its release, and release 0.1.0 is shown what it knows', async () => {
  const { former, all } = await entriesOf();
  await migrate(url);
  expect(await applied()).toEqual(all.map(({ when }) => [when, release]));
  expect(await formerlyListed()).toEqual(former.map(({ when }) => when));
});

it('a database of release 0.1.0 gets what is new, and 0.1.0 can go on with it', async () => {
  const { former, all } = await entriesOf();
  await createFormerSchema(sql, former);
  await migrate(url);
  expect(await applied()).toEqual(all.map(({ when }, at) => [when, at < former.length ? 1 : release]));
  expect(await formerlyListed()).toEqual(former.map(({ when }) => when));
});

it('the schema of the next release stays as it is, and that of a later one is refused', async () => {
  await migrate(url);
  await applyLater(release + 1);
  const before = await applied();
  await migrate(url);
  expect(await applied()).toEqual(before);
  await applyLater(release + 2);
  await expect(migrate(url)).rejects.toThrow(NewerSchemaError);
  await expect(migrate(url)).rejects.toThrow(
    `The database has the schema of release 0.${release + 2}; this is release 0.${release}, which runs on schemas up to ` +
      `release 0.${release + 1}: start a newer release (docs/running/upgrading.md)`,
  );
});
