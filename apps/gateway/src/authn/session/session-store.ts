import { byteaArray, prepared, sessions, users, type Database } from '@trunkline/db';
import { and, eq, lt, sql } from 'drizzle-orm';
import type { Logger } from '@trunkline/runtime';
import type { Bulkhead } from '../bulkhead.ts';
import { throwAsRpcError } from '../throw-as-rpc-error.ts';

/** A session and its user at the time of reading. */
export interface StoredSession {
  readonly hmac: Buffer;
  readonly sessionId: number;
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  /** Whether the session has not ended and its user is active. */
  readonly usable: boolean;
  /** Whether the session's last use was recorded more than a minute ago. */
  readonly needsTouch: boolean;
}

export interface SessionStore {
  /** Finds the session that is stored under one of these HMACs. */
  find(hmacs: readonly Buffer[]): Promise<StoredSession | undefined>;
  /** Records a use of the session and extends it, in the background. */
  touch(sessionId: number): void;
  end(sessionId: number): Promise<void>;
  endAllOf(userId: number): Promise<void>;
}

const needsTouch = lt(sessions.lastSeenAt, sql`now() - interval '1 minute'`);

const sessionByHmac = prepared((db) =>
  db
    .select({
      hmac: sessions.hmac,
      sessionId: sessions.id,
      userId: users.id,
      username: users.username,
      admin: users.admin,
      usable: sql<boolean>`${users.active} and ${users.usernameKey} <> 'default' and ${sessions.expiresAt} > now()`,
      needsTouch: sql<boolean>`${needsTouch}`,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(sql`${sessions.hmac} = any(${sql.placeholder('hmacs')}::bytea[])`)
    .prepare('session_by_hmac'),
);

/** Number of days after the sign-in at which a session ends, however often it is used. */
const daysMax = 14;

export function sessionStore(db: Database, idleHours: number, bulkhead: Bulkhead, logger: Logger): SessionStore {
  const expiresAt = sql`least(${sessions.createdAt} + make_interval(days => ${daysMax}),
    now() + make_interval(hours => ${idleHours}))`;
  return {
    async find(hmacs) {
      const [row] = await bulkhead(() =>
        sessionByHmac(db)
          .execute({ hmacs: byteaArray(hmacs) })
          .catch(throwAsRpcError),
      );
      return row;
    },
    touch(sessionId) {
      db.update(sessions)
        .set({ lastSeenAt: sql`now()`, expiresAt })
        .where(and(eq(sessions.id, sessionId), sql`${sessions.expiresAt} > now()`, needsTouch))
        .catch((error: unknown) => logger.debug({ err: error }, 'last use of a session could not be recorded'));
    },
    async end(sessionId) {
      await bulkhead(() => db.delete(sessions).where(eq(sessions.id, sessionId)).catch(throwAsRpcError));
    },
    async endAllOf(userId) {
      await bulkhead(() => db.delete(sessions).where(eq(sessions.userId, userId)).catch(throwAsRpcError));
    },
  };
}
