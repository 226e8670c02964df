import { byteaArray, prepared, sessions, users, type Database } from '@trunkline/db';
import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Logger } from '@trunkline/runtime';
import { throwAsRpcError, type Bulkhead, type Transact } from '../queries.ts';

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
  end(session: Pick<StoredSession, 'sessionId' | 'userId'>): Promise<void>;
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

export interface SessionStoreTools {
  readonly db: Database;
  readonly idleHours: number;
  readonly bulkhead: Bulkhead;
  readonly transact: Transact;
  readonly logger: Logger;
}

/** Number of days after the sign-in at which a session ends, however often it is used. */
export const daysMax = 14;

export function sessionStore({ db, idleHours, bulkhead, transact, logger }: SessionStoreTools): SessionStore {
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
      // A row that another transaction holds is left to the next use.
      const due = db
        .select({ id: sessions.id })
        .from(sessions)
        .where(and(eq(sessions.id, sessionId), sql`${sessions.expiresAt} > now()`, needsTouch))
        .for('no key update', { skipLocked: true });
      db.update(sessions)
        .set({ lastSeenAt: sql`now()`, expiresAt })
        .where(inArray(sessions.id, due))
        .catch((error: unknown) => logger.debug({ err: error }, 'last use of a session could not be recorded'));
    },
    async end({ sessionId, userId }) {
      await transact(userId, (tx) => tx.delete(sessions).where(eq(sessions.id, sessionId)));
    },
    async endAllOf(userId) {
      await transact(userId, (tx) => tx.delete(sessions).where(eq(sessions.userId, userId)));
    },
  };
}
