import * as v from 'valibot';
import { optional } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { moment } from '../args/moment.ts';
import { limit } from '../args/page.ts';
import { text } from '../args/text.ts';
import { wholeNumber } from '../args/whole-number.ts';
import { defineOperation } from '../operation.ts';
import { AuditRecord } from '../records/operation.ts';

export const getAuditLog = defineOperation({
  name: 'get_audit_log',
  summary: 'Lists the calls that changed something, or were refused, the newest first; without passwords and logins.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: {
    userid: optional(entityRef, null, 'Who called', 'everybody'),
    method: optional(text(255), null, 'Name of an operation', 'any'),
    outcome: optional(text(20), null, '`running`, `succeeded` or `failed`', 'any'),
    start_date: optional(moment, null, 'Not before this time (UTC)'),
    end_date: optional(moment, null, 'Not after this time (UTC)'),
    limit,
    cursor: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), null, 'Only entries after the one with this `audit_id`'),
  },
  result: v.array(AuditRecord),
});
