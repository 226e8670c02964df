import { setTimeout as wait } from 'node:timers/promises';
import { operations, repositories, repositoryVerifications, type Database } from '@trunkline/db';
import { and, asc, eq, inArray, sql, type SQL } from 'drizzle-orm';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readDatabaseConfig } from '../config.ts';
import { RefusedError, UsageError } from '../errors.ts';
import { recordChange, withDatabase } from '../with-database.ts';
import { whileRepositories } from '../show-progress.ts';

interface Options {
  readonly all?: true;
  readonly wait: boolean;
}

const { repositoryId, requestedAt, triedAt, damaged } = repositoryVerifications;
const lookEveryMs = 500;
/** Names that one answer has. */
const namesMax = 1_000;

/** Asks for a reading of these repositories, or of all; returns when, by the database's clock, and of how many. */
async function request(db: Database, names: readonly string[]): Promise<{ at: string; count: number }> {
  return db.transaction(async (tx) => {
    if (names.length > 0) {
      const found = await tx
        .select({ name: repositories.name })
        .from(repositories)
        .where(and(inArray(repositories.name, [...names]), eq(repositories.state, 'ready')));
      const missing = names.find((one) => found.every(({ name }) => name !== one));
      if (missing !== undefined) throw new RefusedError(`repository \`${missing}\` does not exist`);
    }
    const chosen = names.length === 0 ? sql`true` : inArray(repositories.name, [...names]);
    const asked = await tx.execute<{ at: string }>(sql`
      insert into ${repositoryVerifications} (repository_id, requested_at)
      select id, now() from ${repositories} where state = 'ready' and ${chosen}
      on conflict (repository_id) do update set requested_at = excluded.requested_at
      returning requested_at::text as at`);
    await recordChange(tx, 'verify', names.length === 0 ? { all: true } : { repositories: names });
    return { at: asked[0]?.at ?? '', count: asked.length };
  });
}

/** Counts the repositories of which a reading was asked for then, and has not ended or not begun. */
async function countLeft(db: Database, asked: SQL): Promise<number> {
  const running = sql`exists (select 1 from ${operations} o
    where o.repository_id = ${repositoryId} and o.kind = 'verify' and o.state = 'running')`;
  const [row] = await db
    .select({ left: sql<number>`count(*)::int` })
    .from(repositoryVerifications)
    .where(sql`${requestedAt} >= ${asked} and (${triedAt} is null or ${triedAt} < ${asked} or ${running})`);
  return row?.left ?? 0;
}

async function namesOf(db: Database, names: readonly string[], condition: SQL): Promise<string[]> {
  const rows = await db
    .select({ name: repositories.name })
    .from(repositoryVerifications)
    .innerJoin(repositories, eq(repositories.id, repositoryId))
    .where(and(condition, names.length === 0 ? undefined : inArray(repositories.name, [...names])))
    .orderBy(asc(repositories.name))
    .limit(namesMax);
  return rows.map(({ name }) => name);
}

async function untilRead(db: Database, { at, count }: { at: string; count: number }, { terminal }: Context) {
  await whileRepositories(terminal, count, 'read', async ({ reach }) => {
    for (;;) {
      const left = await countLeft(db, sql`${at}::timestamptz`);
      reach(count - left);
      if (left === 0) return;
      await wait(lookEveryMs);
    }
  });
}

async function act(context: Context, names: readonly string[], { all, wait: waits }: Options): Promise<Outcome> {
  if ((names.length === 0) === !all) throw new UsageError('name repositories, or give --all');
  return withDatabase(readDatabaseConfig(context.environment), async (db) => {
    const asked = await request(db, names);
    const { count } = asked;
    if (!waits) return { text: `${count} repositories will be read`, record: { repositories: count } };
    await untilRead(db, asked, context);
    const isDamaged = await namesOf(db, names, sql`${damaged}`);
    const isLeft = await namesOf(db, names, sql`${requestedAt} >= ${asked.at}::timestamptz`);
    const lines = [
      `${count - isLeft.length} of ${count} repositories are read`,
      ...isDamaged.map((name) => `damaged: ${name}`),
      ...isLeft.map((name) => `could not be read to the end: ${name}`),
    ];
    return {
      text: lines.join('\n'),
      record: { repositories: count, damaged: isDamaged, not_read: isLeft },
      isFailure: isDamaged.length + isLeft.length > 0,
    };
  });
}

export const verifyRepositories: AddCommand = (program, choose) => {
  program
    .command('verify')
    .description('have workers read all of some repositories; exits with 1 when one is damaged')
    .argument('[REPOSITORY...]', 'names of repositories')
    .option('--all', 'read all repositories')
    .option('--no-wait', 'do not wait for the end')
    .action((names: string[], options: Options) => choose((context) => act(context, names, options)));
};
