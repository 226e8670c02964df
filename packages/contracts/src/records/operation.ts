import * as v from 'valibot';
import { timestamp } from './timestamp.ts';

/** State of an operation; for a call that began no operation, its outcome in the audit log. */
export const OperationRecord = v.strictObject({
  operation_id: v.string(),
  /** `adopt`, `create`, `import`, `fork`, `pull`, `push`, `delete`, `move`, `default_branch`, `maintain`, `restore`, `replace` or `verify`; for a call that began no operation, the method's name. */
  kind: v.string(),
  repo_id: v.nullable(v.number()),
  repo_name: v.nullable(v.string()),
  /** Name of the storage to which a move or a fork copies the repository; null for other operations. */
  target_storage: v.nullable(v.string()),
  state: v.picklist(['running', 'done', 'failed']),
  attempt: v.number(),
  /** Progress while the operation runs, as far as git or hg reports any; each phase counts from 0. */
  progress: v.nullable(
    v.strictObject({
      phase: v.string(),
      done: v.number(),
      total: v.nullable(v.number()),
      unit: v.optional(v.string()),
    }),
  ),
  error: v.nullable(v.string()),
  /** Null for a deleted user, and for what the service does by itself. */
  user: v.nullable(v.string()),
  created_on: timestamp,
  finished_on: v.nullable(timestamp),
});
export type OperationRecord = v.InferOutput<typeof OperationRecord>;

/** Entry of the audit log; `request_id` is also the id of the operation that the call began, if any. */
export const AuditRecord = v.strictObject({
  audit_id: v.number(),
  request_id: v.string(),
  date: timestamp,
  user_id: v.number(),
  username: v.string(),
  ip_addr: v.string(),
  method: v.string(),
  args: v.record(v.string(), v.unknown()),
  outcome: v.picklist(['running', 'succeeded', 'failed']),
  error: v.nullable(v.string()),
});
export type AuditRecord = v.InferOutput<typeof AuditRecord>;
