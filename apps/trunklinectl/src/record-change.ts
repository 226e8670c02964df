import { randomUUID } from 'node:crypto';
import { auditLog, type Db } from '@trunkline/db';

/** Who the audit log says has made a change: no user has this id, and names of users need no such entry. */
const actor = { actorId: 0, actor: 'trunklinectl' };

/** Records a change in the transaction that makes it, as the API records the method that does the same. */
export async function recordChange(db: Db, method: string, args: Readonly<Record<string, unknown>>): Promise<void> {
  await db.insert(auditLog).values({ requestId: randomUUID(), ...actor, ip: '', method, args, outcome: 'succeeded' });
}
