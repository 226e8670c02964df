import { randomUUID } from 'node:crypto';
import { decodeError, served, subjects, type Caller, type ServedName } from '@trunkline/contracts';
import { createSecretVault, openDatabase } from '@trunkline/db';
import { createLogger } from '@trunkline/runtime';
import postgres from 'postgres';
import { expect } from 'vitest';
import { createBulkhead, createTransact } from '../../apps/gateway/src/queries.ts';
import { sessionStore } from '../../apps/gateway/src/authn/session-store.ts';
import { createSessions } from '../../apps/gateway/src/authn/sessions.ts';
import { createPasswordQueues } from '../../apps/gateway/src/authn/sign-in/password-queues.ts';
import { signInStore } from '../../apps/gateway/src/authn/sign-in/sign-in-store.ts';
import { createCheckLogin } from '../../apps/gateway/src/authn/sign-in/check-login.ts';
import { createSignIn } from '../../apps/gateway/src/authn/sign-in/sign-in.ts';
import { systemClock } from '../../apps/gateway/src/clock.ts';
import { encodeCommand } from '../../apps/gateway/src/dispatch/encode-command.ts';
import { createClient } from './client.ts';
import type { Cluster } from './cluster.ts';
import { connectGatewayBus } from './connect-gateway-bus.ts';

const logger = createLogger({ role: 'test', level: 'silent' });
const idleHours = 24;

export const ip = '127.0.0.1';
export const password = 'correct horse';

export interface Person {
  readonly username: string;
  readonly email: string;
  readonly userId: number;
}

export function inSession(userId: number, id: number): Caller {
  return { userId, ip, credential: { kind: 'session', id } };
}

/** Opens what a gateway uses behind its pages: sign-in, sessions, and calls to the workers of a cluster. */
export async function openEndpoints(cluster: Cluster) {
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  const sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  const { db, close: closeDatabase } = openDatabase(cluster.database.gatewayUrl, { connectionsMax: 3, name: 'test' });
  const bus = await connectGatewayBus(cluster);
  const vault = createSecretVault(cluster.secret);
  const bulkhead = createBulkhead({ waitingMax: 1_000, waitMsMax: 60_000 });
  const transact = createTransact(db, 3);
  const queues = createPasswordQueues();
  const store = signInStore({ db, clock: systemClock, idleHours, bulkhead, transact, queues });
  const upgradePassword = () => Promise.reject(new Error('no user is imported'));
  const checkLogin = createCheckLogin({ store, upgradePassword, ldap: null, clock: systemClock, queues, logger });
  const signIn = createSignIn({ vault, store, checkLogin, logger });
  const enter = (username: string, word = password) => signIn({ username, password: word, ip, userAgent: 'browser' });
  let made = 0;
  return {
    admin,
    sql,
    signInStore: store,
    sessions: createSessions({ vault, store: sessionStore({ db, idleHours, bulkhead, transact, logger }) }),
    enter,
    /** Creates a user who can sign in with `password`. */
    async makeUser(more: Record<string, unknown> = {}): Promise<Person> {
      made += 1;
      const person = { username: `User${made}`, email: `User${made}@example.com` };
      const args = { ...person, password, ...more };
      const { user } = await admin.result<{ user: { user_id: number } }>('create_user', args);
      return { ...person, userId: user.user_id };
    },
    /** Signs in and returns the credentials for calls. */
    async enterAs({ username, userId }: Person) {
      const { token, session } = await enter(username);
      return { token, sessionId: session.sessionId, caller: inSession(userId, session.sessionId) };
    },
    /** Sends a call of the lane `metadata` to a worker as a gateway does, for this caller. */
    async ask(caller: Caller, method: ServedName, args: unknown = {}): Promise<{ result?: unknown; error?: string }> {
      const request = { args, caller, requestId: randomUUID(), timeoutMs: 20_000, sentAt: Date.now() };
      const command = encodeCommand(vault, served[method], request);
      const { payload, isError } = await bus.request(subjects.rpc('metadata', null, method), command, 20_000);
      if (!(payload instanceof Uint8Array)) return expect.fail('a transfer');
      return isError
        ? { error: decodeError(payload).message }
        : { result: JSON.parse(Buffer.from(payload).toString()) };
    },
    /** Returns the first column of the first row of a statement, as a number. */
    async numberFrom(statement: string): Promise<number> {
      const [row] = await sql.unsafe(statement);
      return Number(Object.values(row ?? {})[0]);
    },
    async close() {
      await Promise.all([bus.close(), closeDatabase(), sql.end()]);
    },
  };
}

export type Endpoints = Awaited<ReturnType<typeof openEndpoints>>;
