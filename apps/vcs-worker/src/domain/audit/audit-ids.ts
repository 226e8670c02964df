import { auditLog, type Db } from '@trunkline/db';
import { sql, type SQL } from 'drizzle-orm';

/**
 * Ids follow the order in which entries are written, and times are those at which their transactions began: of two
 * entries, the later one may have the earlier time, by the duration of a transaction or a correction of the
 * database's clock. Ten minutes are far more than both.
 */
export const toleranceMinutes = 10;

/**
 * Returns the smallest id whose entry is not from before the time, found by halving the range of the ids. With the
 * tolerance: all entries below it are from before `time + toleranceMinutes`, all others from after
 * `time - toleranceMinutes`. No id below `from` is looked at.
 */
export function idAtTime(time: SQL, from: number | null = null): SQL {
  const lowest = from === null ? sql`select min(id) from ${auditLog}` : sql`select ${from}::bigint`;
  return sql`(with recursive search (low, high) as (
    select coalesce((${lowest}), 1), coalesce((select max(id) from ${auditLog}), 0) + 1
    union all
    select case when probe.at < ${time} then probe.id + 1 else low end,
      case when probe.at < ${time} then high else middle.id end
    from search
      cross join lateral (select (low + high) / 2 as id) middle
      cross join lateral (select id, at from ${auditLog} where id >= middle.id order by id limit 1) probe
    where low < high)
  select max(low) from search)`;
}

/** The highest id that an entry can have. */
export const maxId = '9223372036854775807';

const tolerance = sql`make_interval(mins => ${toleranceMinutes}::int)`;

/** Returns the id from which on all entries from `time` on are; the lowest id for null. */
export function idFrom(time: Date | null): SQL {
  return time === null ? sql`0::bigint` : idAtTime(sql`(${time.toISOString()}::timestamptz - ${tolerance})`);
}

/** Returns the id before which all entries until `time` are; one above all ids for null. */
export function idUntil(time: Date | null): SQL {
  if (time === null) return sql`${maxId}::bigint`;
  return idAtTime(sql`(${time.toISOString()}::timestamptz + ${tolerance})`);
}

/** Returns an id below which all entries are older than so many days, and only those of the last minutes are missing. */
export function idOfAge(days: number, from: number | null): SQL {
  return idAtTime(sql`(now() - make_interval(days => ${days}::int) - ${tolerance})`, from);
}

type Outcome = typeof auditLog.$inferSelect.outcome;

const outcomesOfAll: readonly Outcome[] = ['running', 'succeeded', 'failed'];

/** The methods that the log has, each found by index after the one before: a few dozen, however long the log is. */
const loggedMethods = sql`with recursive logged (method) as (
    (select method from ${auditLog} order by method limit 1)
    union all
    select (select entry.method from ${auditLog} entry where entry.method > logged.method order by entry.method limit 1)
    from logged where logged.method is not null)
  select method from logged where method is not null`;

export async function listLoggedMethods(db: Db): Promise<string[]> {
  const rows = await db.execute<{ method: string }>(loggedMethods);
  return rows.map(({ method }) => method);
}

export interface MethodFilter {
  readonly method: string | null;
  readonly outcomes: readonly Outcome[] | null;
  /** The range of the ids: the lowest, and the end, which is not included. */
  readonly from: SQL;
  readonly before: SQL;
  /** A further condition for columns of the log. */
  readonly where?: SQL | undefined;
  readonly limit: number;
}

/**
 * Returns a query for the ids of entries, the newest first. It reads those of each method and outcome by the index that
 * begins with these: one index for filters by method, by outcome, and by both. Compared as rows, they can only be read
 * by this index; equations would also allow the one by id, which passes over the entries of all other methods.
 */
export function idsByMethod({ method, outcomes, from, before, where, limit }: MethodFilter): SQL {
  const methods = method === null ? loggedMethods : sql`select ${method}::text as method`;
  const listed = sql.join(
    (outcomes ?? outcomesOfAll).map((outcome) => sql`(${outcome}::text)`),
    sql`, `,
  );
  const key = sql`(method, outcome, id)`;
  return sql`select entry.id from (${methods}) methods
    cross join (values ${listed}) outcomes (outcome)
    cross join lateral (select id from ${auditLog}
      where ${key} >= (methods.method, outcomes.outcome, ${from}) and ${key} < (methods.method, outcomes.outcome, ${before})
        and ${where ?? sql`true`}
      order by method desc, outcome desc, id desc limit ${limit}::int) entry
    order by entry.id desc limit ${limit}::int`;
}
