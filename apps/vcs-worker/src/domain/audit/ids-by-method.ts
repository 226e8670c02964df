import { auditLog, type Db } from '@trunkline/db';
import { sql, type SQL } from 'drizzle-orm';

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
