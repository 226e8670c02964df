import { auditLog, type operations, type OperationProgress } from '@trunkline/db';
import { sql } from 'drizzle-orm';

/** Columns that show a row of the audit log as an operation. */
export const auditedColumns = {
  id: auditLog.requestId,
  kind: sql<string>`${auditLog.method}`,
  repositoryId: sql<number | null>`null::integer`,
  // A `repoid` of digits alone is an id, not a name.
  name: sql<string | null>`coalesce(${auditLog.args} ->> 'fork_name', ${auditLog.args} ->> 'repo_name',
    substring(${auditLog.args} ->> 'repoid' from '^.*[^0-9].*$'))`,
  targetStorage: sql<string | null>`null::text`,
  state: sql<
    typeof operations.$inferSelect.state
  >`case ${auditLog.outcome} when 'succeeded' then 'done' else ${auditLog.outcome} end`,
  attempt: sql<number>`1`,
  progress: sql<OperationProgress | null>`null::jsonb`,
  error: auditLog.error,
  user: sql<string | null>`${auditLog.actor}`,
  createdAt: auditLog.at,
  finishedAt: sql<Date | null>`${auditLog.at}`.mapWith(auditLog.at),
};
