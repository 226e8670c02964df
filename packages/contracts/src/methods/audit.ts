import * as v from 'valibot';
import { optional } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { dateBound } from '../args/date-bound.ts';
import { limit } from '../args/page.ts';
import { text } from '../args/text.ts';
import { wholeNumber } from '../args/whole-number.ts';
import { defineMethod } from '../method.ts';
import { AuditRecord } from '../records/operation.ts';

export const getAuditLog = defineMethod({
  name: 'get_audit_log',
  summary: 'Lists the calls that changed something, or were refused, the newest first; without passwords and logins.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: {
    userid: optional(entityRef, null, 'Who called', 'everybody'),
    method: optional(text(255), null, 'Name of an operation', 'any'),
    outcome: optional(text(20), null, '`running`, `succeeded` or `failed`', 'any'),
    start_date: optional(dateBound('start'), null, 'Day or time stamp (UTC) of the earliest'),
    end_date: optional(dateBound('end'), null, 'Day or time stamp (UTC) of the latest'),
    limit,
    cursor: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), null, 'Only entries after the one with this `audit_id`'),
  },
  result: v.array(AuditRecord),
});
