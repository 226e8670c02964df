import { byteaArray, prepared, sessions, users, type Database } from '@trunkline/db';
import { and, eq, lt, sql } from 'drizzle-orm';
import type { Logger } from '@trunkline/runtime';
import type { Bulkhead } from '../bulkhead.ts';
import { rethrowFailure } from '../rethrow-failure.ts';

/** A session and its user at the time of reading. */
export interface StoredSession {
  readonly mac: Buffer;
  readonly sessionId: number;
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  /** Whether the session has not ended and its user is active. */
  readonly usable: boolean;
  /** Whether the session's last use was recorded more than a minute ago. */
  readonly stale: boolean;
}

export interface SessionStore {
  /** The session that is stored under one of these HMACs. */
  find(macs: readonly Buffer[]): Promise<StoredSession | undefined>;
  /** Extends the session, in the background. */
  touch(sessionId: number): void;
  end(sessionId: number): Promise<void>;
  endOf(userId: number): Promise<void>;
}

const stale = lt(sessions.lastSeenAt, sql`now() - interval '1 minute'`);

const sessionByMac = prepared((db) =>
  db
    .select({
      mac: sessions.mac,
      sessionId: sessions.id,
      userId: users.id,
      username: users.username,
      admin: users.admin,
      usable: sql<boolean>`${users.active} and ${users.usernameKey} <> 'default' and ${sessions.expiresAt} > now()`,
      stale: sql<boolean>`${stale}`,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(sql`${sessions.mac} = any(${sql.placeholder('macs')}::bytea[])`)
    .prepare('session_by_mac'),
);

/** A session ends so many days after the sign-in, however often it is used. */
const daysMax = 14;

export function sessionStore(db: Database, idleHours: number, bulkhead: Bulkhead, logger: Logger): SessionStore {
  const expiresAt = sql`least(${sessions.createdAt} + make_interval(days => ${daysMax}),
    now() + make_interval(hours => ${idleHours}))`;
  return {
    async find(macs) {
      const [row] = await bulkhead(() =>
        sessionByMac(db)
          .execute({ macs: byteaArray(macs) })
          .catch(rethrowFailure),
      );
      return row;
    },
    touch(sessionId) {
      db.update(sessions)
        .set({ lastSeenAt: sql`now()`, expiresAt })
        .where(and(eq(sessions.id, sessionId), sql`${sessions.expiresAt} > now()`, stale))
        .catch((error: unknown) => logger.debug({ err: error }, 'the use of a session was not noted'));
    },
    async end(sessionId) {
      await bulkhead(() => db.delete(sessions).where(eq(sessions.id, sessionId)).catch(rethrowFailure));
    },
    async endOf(userId) {
      await bulkhead(() => db.delete(sessions).where(eq(sessions.userId, userId)).catch(rethrowFailure));
    },
  };
}
