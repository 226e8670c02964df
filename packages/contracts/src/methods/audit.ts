import * as v from 'valibot';
import { optional, withValues } from '../args/arg.ts';
import { dateBound, entityRef, text, wholeNumber } from '../args/schemas.ts';
import { historyLimit } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';
import { timestamp } from '../records/parts.ts';

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

export const getAuditLog = defineMethod({
  name: 'get_audit_log',
  summary: 'Lists the calls that changed something or were refused, newest first; passwords and logins are left out.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: {
    userid: optional(entityRef, null, 'Username or user id of the caller', 'everybody'),
    method: optional(text(255), null, 'Name of a method', 'any'),
    outcome: withValues(optional(text(20), null, '`running`, `succeeded` or `failed`', 'any'), [
      'running',
      'succeeded',
      'failed',
    ]),
    start_date: optional(dateBound('start'), null, 'Date or time stamp (UTC) of the earliest call'),
    end_date: optional(dateBound('end'), null, 'Date or time stamp (UTC) of the latest call'),
    limit: historyLimit,
    cursor: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), null, 'Only entries after the one with this `audit_id`'),
  },
  result: v.array(AuditRecord),
});
