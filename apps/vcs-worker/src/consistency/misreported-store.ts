import { auditLog, operations, type Db } from '@trunkline/db';
import { and, asc, eq, sql } from 'drizzle-orm';
import { idUntil } from '../audit/id-at-time.ts';
import { idsByMethod } from '../audit/ids-by-method.ts';
import { findingsMax } from './finding.ts';

/** Rows that one statement reads, by an index that has only entries that may be wrong. */
const pageRows = 1_000;

interface Misreported {
  readonly id: string;
  readonly at: Date;
  readonly method: string;
  readonly outcome: typeof auditLog.$inferSelect.outcome;
  readonly repositoryId: number | null;
  readonly state: typeof operations.$inferSelect.state | null;
}

const entryColumns = {
  id: auditLog.requestId,
  at: auditLog.at,
  method: auditLog.method,
  outcome: auditLog.outcome,
  repositoryId: auditLog.repositoryId,
};

/** Reads entries of calls that are running or have failed, each with the state of its operation. */
async function readUnsuccessful(db: Db, after: { entry: number } | null) {
  const ids = idsByMethod({
    method: null,
    outcomes: ['running', 'failed'],
    from: sql`${(after?.entry ?? 0) + 1}::bigint`,
    before: idUntil(null),
    order: 'asc',
    limit: pageRows,
  });
  return db
    .select({
      ...entryColumns,
      entry: auditLog.id,
      // A subquery, so that each entry reads the one operation of its id.
      state: sql<Misreported['state']>`(select o.state from operations o where o.id = ${auditLog.requestId})`,
    })
    .from(auditLog)
    .where(sql`${auditLog.id} = any(array(${ids}))`)
    .orderBy(asc(auditLog.id));
}

/** Reads operations that have failed, each with the entry of its call. */
async function readFailed(db: Db, after: { began: string; operation: string } | null) {
  const entry = db
    .select(entryColumns)
    .from(auditLog)
    .where(eq(auditLog.requestId, operations.id))
    .limit(1)
    .as('entry');
  const { id, at, method, outcome, repositoryId } = entry;
  const began = after?.began ?? '-infinity';
  const operation = after?.operation ?? '00000000-0000-0000-0000-000000000000';
  return db
    .select({
      entry: { id, at, method, outcome, repositoryId },
      state: operations.state,
      operation: operations.id,
      // As text, since a Date has no microseconds.
      began: sql<string>`${operations.createdAt}::text`,
    })
    .from(operations)
    .leftJoinLateral(entry, sql`true`)
    .where(
      and(
        sql`${operations.state} = 'failed'`,
        sql`(${operations.createdAt}, ${operations.id}) > (${began}::timestamptz, ${operation}::uuid)`,
      ),
    )
    .orderBy(asc(operations.createdAt), asc(operations.id))
    .limit(pageRows);
}

/** Reads page after page and collects what is wrong, until there are no more rows or more findings than a report shows. */
async function collect<Row>(
  signal: AbortSignal,
  read: (after: Row | null) => Promise<readonly Row[]>,
  wrong: (row: Row) => Misreported | null,
): Promise<Misreported[]> {
  const found: Misreported[] = [];
  for (let last: Row | null = null; ;) {
    signal.throwIfAborted();
    const rows: readonly Row[] = await read(last);
    found.push(...rows.flatMap((row) => wrong(row) ?? []));
    last = rows.at(-1) ?? null;
    if (rows.length < pageRows || found.length > findingsMax) return found;
  }
}

type Unsuccessful = Awaited<ReturnType<typeof readUnsuccessful>>[number];
type Failed = Awaited<ReturnType<typeof readFailed>>[number];

/**
 * Lists entries of the audit log whose outcome differs from that of their operation. A statement reads one page with
 * the operations of its entries, so that its snapshot shows no end of an operation half done.
 */
export async function listMisreported(db: Db, signal: AbortSignal): Promise<Misreported[]> {
  const unsuccessful = await collect<Unsuccessful>(
    signal,
    (after) => readUnsuccessful(db, after),
    (row) => ((row.outcome === 'running' ? row.state !== 'running' : row.state === 'done') ? row : null),
  );
  const failed = await collect<Failed>(
    signal,
    (after) => readFailed(db, after),
    // Running entries are among the unsuccessful ones.
    ({ entry, state }) => (entry?.outcome === 'succeeded' ? { ...entry, state } : null),
  );
  return [...unsuccessful, ...failed];
}
