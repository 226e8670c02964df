import { sessions, userIpAddresses, users, type Database } from '@trunkline/db';
import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Bulkhead } from '../bulkhead.ts';
import { throwAsRpcError } from '../throw-as-rpc-error.ts';

/** A user at the time of signing in, active or not. */
export interface Candidate {
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  readonly active: boolean;
  readonly passwordHash: string | null;
  readonly ldapDn: string | null;
  /**
   * The networks that the user may sign in from: the user's own and those of the user `default`, which apply to everyone;
   * an empty list allows all.
   */
  readonly networks: readonly string[];
  /** Whether the user has a session from the address of the attempt. */
  readonly hasSessionFromAddress: boolean;
}

export interface NewSession {
  readonly hmac: Buffer;
  readonly ip: string;
  readonly userAgent: string;
}

export interface SignInStore {
  find(usernameKey: string, ip: string): Promise<Candidate | undefined>;
  /** Opens a session and returns its id; undefined when the user or the password changed since they were checked. */
  open(user: Candidate, session: NewSession): Promise<number | undefined>;
}

/** Limit of sessions of one user; beyond it, the least recently used sessions are removed. */
const sessionsMax = 100;

export function signInStore(db: Database, idleHours: number, bulkhead: Bulkhead): SignInStore {
  return {
    find: (usernameKey, ip) => bulkhead(() => findCandidate(db, usernameKey, ip).catch(throwAsRpcError)),
    open: (user, session) => bulkhead(() => openSession(db, idleHours, user, session).catch(throwAsRpcError)),
  };
}

async function findCandidate(db: Database, usernameKey: string, ip: string): Promise<Candidate | undefined> {
  const [row] = await db
    .select({
      userId: users.id,
      username: users.username,
      admin: users.admin,
      active: users.active,
      passwordHash: users.passwordHash,
      ldapDn: users.ldapDn,
      networks: sql<string[]>`array(select ip_addr from ${userIpAddresses} where user_id = users.id
        or user_id = (select id from users where username_key = 'default'))`,
      hasSessionFromAddress: sql<boolean>`exists (select from ${sessions}
        where user_id = users.id and ip = ${ip} and expires_at > now())`,
    })
    .from(users)
    .where(and(eq(users.usernameKey, usernameKey), sql`${users.usernameKey} <> 'default'`));
  return row;
}

function openSession(
  db: Database,
  idleHours: number,
  { userId, passwordHash, ldapDn }: Candidate,
  session: NewSession,
): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    // Locks the user's row: after an earlier change the conditions fail, and a later change ends this session, too.
    const [user] = await tx
      .update(users)
      .set({ lastLogin: sql`now()` })
      .where(
        and(
          eq(users.id, userId),
          users.active,
          sql`${users.passwordHash} is not distinct from ${passwordHash}`,
          sql`${users.ldapDn} is not distinct from ${ldapDn}`,
        ),
      )
      .returning({ id: users.id });
    if (!user) return undefined;
    const expiresAt = sql`now() + make_interval(hours => ${idleHours})`;
    const [opened] = await tx
      .insert(sessions)
      .values({ ...session, userId, expiresAt })
      .returning({ id: sessions.id });
    const surplus = tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.userId, userId))
      .orderBy(desc(sessions.lastSeenAt), desc(sessions.id))
      .offset(sessionsMax);
    await tx.delete(sessions).where(inArray(sessions.id, surplus));
    return opened?.id;
  });
}
