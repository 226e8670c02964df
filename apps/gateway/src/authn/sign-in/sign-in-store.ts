import {
  passwordFingerprint,
  prepared,
  sessions,
  signInSources,
  userEmails,
  userIpAddresses,
  users,
  type Database,
  type Transaction,
} from '@trunkline/db';
import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Clock } from '../../clock.ts';
import { throwAsRpcError, type Bulkhead, type Transact } from '../../queries.ts';
import { createFindCandidate, createForeignHashes } from './find-candidate.ts';
import type { PasswordQueues } from './password-queues.ts';

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
  /** Changes when the password changes. */
  readonly fingerprint: string;
  /** Whether the user has signed in from the source of the attempt before. */
  readonly isUsualSource: boolean;
}

/** What is known of an attempt to sign in before the password is checked. */
interface FoundCandidate {
  /** The user of the name or address; undefined for one that nobody has. */
  readonly user: Candidate | undefined;
  /** Whether any user has signed in from the source before. */
  readonly isKnownSource: boolean;
  /** Whether some user has a password hash of another program. */
  readonly foreignWork: boolean;
}

export interface NewSession {
  readonly hmac: Buffer;
  readonly ip: string;
  /** The address, or the network of it, that is remembered. */
  readonly source: string;
  readonly userAgent: string;
}

export interface SignInStore {
  /** Finds a user by the key of the username or, when nobody has this name, of an active user's primary address. */
  find(loginKey: string, source: string): Promise<FoundCandidate>;
  /** Opens a session and returns its id; undefined when the user or the password changed since they were checked. */
  open(user: Candidate, session: NewSession): Promise<number | undefined>;
  /** Remembers a source from which the user has signed in without a session, unless the user or the password changed. */
  remember(user: Candidate, source: string): Promise<void>;
}

/** Limit of sessions of one user; beyond it, the least recently used sessions are removed. */
const sessionsMax = 100;
/** Sources that are remembered of one user, and for how many days. */
const sourcesMax = 20;
const sourceDays = 90;
const isRemembered = sql`${signInSources.signedInAt} > now() - make_interval(days => ${sql.raw(String(sourceDays))})`;

export interface SignInStoreTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly idleHours: number;
  readonly bulkhead: Bulkhead;
  readonly transact: Transact;
  readonly queues: PasswordQueues;
}

export function signInStore({ db, clock, idleHours, bulkhead, transact, queues }: SignInStoreTools): SignInStore {
  const reads = {
    knownSources: (sources: readonly string[]) => bulkhead(() => readKnownSources(db, sources).catch(throwAsRpcError)),
    user: (loginKey: string, source: string) =>
      bulkhead(() => findCandidate(db, loginKey, source).catch(throwAsRpcError)),
  };
  const find = createFindCandidate(reads, queues);
  const hasForeign = createForeignHashes(clock, () => bulkhead(() => readHasForeign(db).catch(throwAsRpcError)));
  return {
    async find(loginKey, source) {
      const found = await find(loginKey, source);
      return { ...found, foreignWork: await hasForeign() };
    },
    open: (user, session) => transact(user.userId, (tx) => openSession(tx, idleHours, user, session)),
    remember: (user, source) =>
      transact(user.userId, async (tx) => {
        const [found] = await tx.select({ id: users.id }).from(users).where(isUnchanged(user)).for('update');
        if (found) await rememberSource(tx, found.id, source);
      }),
  };
}

const knownSources = prepared((db) =>
  db
    .selectDistinct({ source: signInSources.source })
    .from(signInSources)
    .where(and(sql`${signInSources.source} = any(${sql.placeholder('sources')}::text[])`, isRemembered))
    .prepare('known_sign_in_sources'),
);

async function readKnownSources(db: Database, sources: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await knownSources(db).execute({ sources });
  return new Set(rows.map(({ source }) => source));
}

async function findCandidate(db: Database, loginKey: string, source: string): Promise<Candidate | undefined> {
  const named = sql`(select id from users where username_key = ${loginKey})`;
  const addressed = sql`(select u.id from ${userEmails} e join users u on u.id = e.user_id
    where e.email_key = ${loginKey} and e.is_primary and u.active)`;
  const [row] = await db
    .select({
      userId: users.id,
      username: users.username,
      admin: users.admin,
      active: users.active,
      passwordHash: users.passwordHash,
      ldapDn: users.ldapDn,
      fingerprint: passwordFingerprint,
      networks: sql<string[]>`array(select ip_addr from ${userIpAddresses} where user_id = users.id
        or user_id = (select id from users where username_key = 'default'))`,
      isUsualSource: sql<boolean>`exists (select from ${signInSources}
        where user_id = users.id and source = ${source} and ${isRemembered})`,
    })
    .from(users)
    .where(and(eq(users.id, sql`coalesce(${named}, ${addressed})`), sql`${users.usernameKey} <> 'default'`));
  return row;
}

const foreignHash = prepared((db) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.passwordHash} not like '$argon2%'`)
    .limit(1)
    .prepare('foreign_password_hash'),
);

async function readHasForeign(db: Database): Promise<boolean> {
  return (await foreignHash(db).execute()).length > 0;
}

/** The condition for a user who is active, and whose password is the one that was checked. */
function isUnchanged({ userId, passwordHash, ldapDn }: Candidate) {
  return and(
    eq(users.id, userId),
    users.active,
    sql`${users.passwordHash} is not distinct from ${passwordHash}`,
    sql`${users.ldapDn} is not distinct from ${ldapDn}`,
  );
}

async function openSession(
  tx: Transaction,
  idleHours: number,
  user: Candidate,
  { hmac, ip, source, userAgent }: NewSession,
): Promise<number | undefined> {
  const { userId } = user;
  // Locks the user's row: after an earlier change the conditions fail, and a later change ends this session, too.
  const [found] = await tx
    .update(users)
    .set({ lastLogin: sql`now()` })
    .where(isUnchanged(user))
    .returning({ id: users.id });
  if (!found) return undefined;
  const expiresAt = sql`now() + make_interval(hours => ${idleHours})`;
  const [opened] = await tx
    .insert(sessions)
    .values({ hmac, ip, userAgent, userId, expiresAt })
    .returning({ id: sessions.id });
  const surplus = tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.id))
    .offset(sessionsMax);
  await tx.delete(sessions).where(inArray(sessions.id, surplus));
  await rememberSource(tx, userId, source);
  return opened?.id;
}

/** Remembers that a user has signed in from a source; the user's row is locked. */
async function rememberSource(tx: Transaction, userId: number, source: string): Promise<void> {
  await tx
    .insert(signInSources)
    .values({ userId, source })
    .onConflictDoUpdate({
      target: [signInSources.userId, signInSources.source],
      set: { signedInAt: sql`now()` },
    });
  const surplus = tx
    .select({ source: signInSources.source })
    .from(signInSources)
    .where(eq(signInSources.userId, userId))
    .orderBy(desc(signInSources.signedInAt), desc(signInSources.source))
    .offset(sourcesMax);
  await tx.delete(signInSources).where(and(eq(signInSources.userId, userId), inArray(signInSources.source, surplus)));
}
