import { auditLog, operations, type Db } from '@trunkline/db';
import { and, asc, eq, sql, type SQL } from 'drizzle-orm';
import { listLoggedMethods, maxId } from '../../domain/audit/audit-ids.ts';
import { findingsMax } from './finding.ts';

/** Rows that one statement compares, by an index that has only rows that may be wrong. */
const pageRows = 5_000;
/** Wrong rows that are read: one more than a report shows. */
const wrongMax = findingsMax + 1;

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

// A subquery, so that each entry reads the one operation of its id.
const stateOfEntry = sql<Misreported['state']>`(select o.state from operations o where o.id = ${auditLog.requestId})`;

/** Rows that are compared page by page, in the order of the keys of an index. */
interface Paged<Key> {
  /** A key before all rows. */
  readonly first: Key;
  /** Returns the key of the last row of the page after a key; null when fewer rows than a page are left. */
  readonly endOfPage: (after: Key) => Promise<Key | null>;
  /** Reads the wrong ones of the rows after a key until another one, or of all after it. */
  readonly readWrong: (after: Key, until: Key | null) => Promise<readonly Misreported[]>;
}

/** Reads page after page and collects what is wrong, until there are no more rows or more findings than a report shows. */
async function collect<Key>(signal: AbortSignal, { first, endOfPage, readWrong }: Paged<Key>): Promise<Misreported[]> {
  const found: Misreported[] = [];
  for (let after = first; ;) {
    signal.throwIfAborted();
    const until = await endOfPage(after);
    found.push(...(await readWrong(after, until)));
    if (until === null || found.length > findingsMax) return found;
    after = until;
  }
}

/** Entries of a method's calls that are running or have failed, while their operations are or did not. */
function unsuccessful(db: Db, method: string, outcome: 'running' | 'failed'): Paged<string> {
  const key = sql`(${auditLog.method}, ${auditLog.outcome}, ${auditLog.id})`;
  // Compared as rows, they are read by the one index that begins with method and outcome.
  const keyOf = (id: string | SQL) => sql`(${method}::text, ${outcome}::text, ${id}::bigint)`;
  const isIn = (after: string, until: string | null) =>
    sql`${key} > ${keyOf(after)} and ${key} <= ${keyOf(until ?? maxId)}`;
  const isWrong = outcome === 'running' ? sql`is distinct from 'running'` : sql`= 'done'`;
  return {
    first: '0',
    async endOfPage(after) {
      const [row] = await db
        .select({ id: sql<string>`${auditLog.id}::text` })
        .from(auditLog)
        .where(isIn(after, null))
        .orderBy(asc(auditLog.method), asc(auditLog.outcome), asc(auditLog.id))
        .offset(pageRows - 1)
        .limit(1);
      return row?.id ?? null;
    },
    readWrong: (after, until) =>
      db
        .select({ ...entryColumns, state: stateOfEntry })
        .from(auditLog)
        .where(and(isIn(after, until), sql`${stateOfEntry} ${isWrong}`))
        .orderBy(asc(auditLog.method), asc(auditLog.outcome), asc(auditLog.id))
        .limit(wrongMax),
  };
}

interface OperationKey {
  /** As text, since a Date has no microseconds. */
  readonly began: string;
  readonly id: string;
}

/** Operations that have failed, while the entries of their calls tell success. */
function failed(db: Db): Paged<OperationKey> {
  const entry = db
    .select(entryColumns)
    .from(auditLog)
    .where(eq(auditLog.requestId, operations.id))
    .limit(1)
    .as('entry');
  const isFailed = sql`${operations.state} = 'failed'`;
  const key = sql`(${operations.createdAt}, ${operations.id})`;
  const keyOf = ({ began, id }: OperationKey) => sql`(${began}::timestamptz, ${id}::uuid)`;
  return {
    first: { began: '-infinity', id: '00000000-0000-0000-0000-000000000000' },
    async endOfPage(after) {
      const [row] = await db
        .select({ began: sql<string>`${operations.createdAt}::text`, id: operations.id })
        .from(operations)
        .where(and(isFailed, sql`${key} > ${keyOf(after)}`))
        .orderBy(asc(operations.createdAt), asc(operations.id))
        .offset(pageRows - 1)
        .limit(1);
      return row ?? null;
    },
    readWrong(after, until) {
      const { id, at, method, outcome, repositoryId } = entry;
      const isUntil = until === null ? undefined : sql`${key} <= ${keyOf(until)}`;
      return (
        db
          .select({ id, at, method, outcome, repositoryId, state: operations.state })
          .from(operations)
          .innerJoinLateral(entry, sql`true`)
          // Running entries are among the unsuccessful ones.
          .where(and(isFailed, sql`${key} > ${keyOf(after)}`, isUntil, eq(outcome, 'succeeded')))
          .orderBy(asc(operations.createdAt), asc(operations.id))
          .limit(wrongMax)
      );
    },
  };
}

/**
 * Lists entries of the audit log whose outcome differs from that of their operation. A statement compares one page with
 * the operations of its entries, so that its snapshot shows no end of an operation half done.
 */
export async function listMisreported(db: Db, signal: AbortSignal): Promise<Misreported[]> {
  const found: Misreported[] = [];
  for (const method of await listLoggedMethods(db)) {
    // In this order: calls that end meanwhile are in the second list.
    for (const outcome of ['running', 'failed'] as const) {
      found.push(...(await collect(signal, unsuccessful(db, method, outcome))));
      if (found.length > findingsMax) return found;
    }
  }
  return [...found, ...(await collect(signal, failed(db)))];
}
