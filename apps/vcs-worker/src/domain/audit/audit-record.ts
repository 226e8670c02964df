import { toTimestamp, type AuditRecord } from '@trunkline/contracts';
import type { AuditRow } from './audit-list-store.ts';

export function toAuditRecord(row: AuditRow): AuditRecord {
  return {
    audit_id: row.id,
    request_id: row.requestId,
    date: toTimestamp(row.at),
    user_id: row.actorId,
    username: row.actor,
    ip_addr: row.ip,
    method: row.method,
    args: row.args,
    outcome: row.outcome,
    error: row.error,
  };
}
