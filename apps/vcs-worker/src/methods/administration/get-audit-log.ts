import { InvalidArgsError } from '@trunkline/contracts';
import { type AuditFilter, listAudit, toAuditRecord } from '../../domain/audit/audit-list-store.ts';
import { requireUser } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

function parseOutcome(outcome: string | null): AuditFilter['outcome'] {
  if (outcome === null || outcome === 'running' || outcome === 'succeeded' || outcome === 'failed') return outcome;
  throw new InvalidArgsError('Invalid value for `outcome`: must be `running`, `succeeded` or `failed`');
}

export const getAuditLog: MethodHandler<'get_audit_log'> = async (args, { db }) => {
  const { userid, method, limit, cursor, start_date: from, end_date: until } = args;
  const user = userid && (await requireUser(db, userid));
  const outcome = parseOutcome(args.outcome);
  const rows = await listAudit(db, { actorId: user && user.id, method, outcome, from, until, limit, cursor });
  return rows.map(toAuditRecord);
};
