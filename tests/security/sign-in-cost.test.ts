import { randomUUID } from 'node:crypto';
import { openDatabase, pingDatabase } from '@trunkline/db';
import { createLogger, hashPassword } from '@trunkline/runtime';
import postgres from 'postgres';
import { expect, inject, it } from 'vitest';
import { createCheckLogin } from '../../apps/gateway/src/authn/sign-in/check-login.ts';
import { createPasswordQueues, type PasswordQueue } from '../../apps/gateway/src/authn/sign-in/password-queues.ts';
import { signInStore } from '../../apps/gateway/src/authn/sign-in/sign-in-store.ts';
import { systemClock } from '../../apps/gateway/src/clock.ts';
import { dummyHash } from '../../packages/runtime/src/hash-kinds.ts';
import { createClient } from '../harness/client.ts';
import { startCluster } from '../harness/cluster.ts';
import { statementsOf } from '../harness/explain.ts';
import { signInFrom } from '../harness/sign-in-from.ts';
import { copyTestDatabase } from '../harness/test-database.ts';

const password = 'correct horse battery';
const usualAddress = '198.51.100.1';
const addresses = ['active@example.com', 'inactive@example.com', 'additional@example.com', 'nobody@example.com'];
const names = ['active', 'inactive', 'without-password', 'of-ldap', 'imported', 'nobody', 'default', ...addresses];
/** A hash of another program, which an import has taken on. */
const foreignHash = '$2b$10$gsvIYDir2QKYniL6JN1mkuCqbzYtHTLeeTcKrK1ZrOBcVDz5pQMkC';

async function addUsers(sql: postgres.Sql): Promise<void> {
  const hash = await hashPassword(password);
  await sql`insert into users (username, username_key, active, password_hash, ldap_dn) values
    ('default', 'default', true, null, null), ('active', 'active', true, ${hash}, null),
    ('inactive', 'inactive', false, ${hash}, null), ('without-password', 'without-password', true, null, null),
    ('of-ldap', 'of-ldap', true, null, 'uid=of-ldap'), ('imported', 'imported', true, ${foreignHash}, null) on conflict do nothing`;
  await sql`insert into user_emails (user_id, email, email_key, is_primary)
    select users.id, email, email, is_primary from users join (values ('active', 'active@example.com', true),
      ('active', 'additional@example.com', false), ('inactive', 'inactive@example.com', true))
      addresses (username, email, is_primary) using (username)`;
  await sql`insert into sign_in_sources (user_id, source) select id, ${usualAddress} from users where username = 'active'`;
}

/** Opens the check of logins on a database of its own; it records the work of each attempt. */
async function openCheck() {
  const { url, gatewayUrl } = await copyTestDatabase(
    inject('postgresUrl'),
    `sign_in_${randomUUID().replaceAll('-', '')}`,
  );
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await addUsers(sql);
  const database = openDatabase(gatewayUrl, { connectionsMax: 1, name: 'test' });
  await pingDatabase(database.db);
  let work: string[] = [];
  const { known, other } = createPasswordQueues();
  const recorded = (name: string, queue: PasswordQueue): PasswordQueue => ({
    run: (kind, source, check) => (work.push(`${kind} in the queue of ${name}`), queue.run(kind, source, check)),
  });
  const store = signInStore({
    db: database.db,
    // What is looked up once a minute was looked up by the first attempt.
    clock: { ...systemClock, now: () => 0 },
    idleHours: 1,
    bulkhead: (ask) => ask(),
    transact: () => Promise.reject(new Error('a refused attempt writes nothing')),
    queues: { known, other },
  });
  const checkLogin = createCheckLogin({
    store,
    upgradePassword: () => Promise.reject(new Error('a refused attempt changes nothing')),
    ldap: null,
    queues: { known: recorded('known addresses', known), other: recorded('others', other) },
    clock: { ...systemClock, sleep: async () => void work.push('a delay') },
    logger: createLogger({ role: 'test', level: 'silent' }),
  });
  await checkLogin({ username: 'nobody', password, ip: usualAddress }).catch(() => {});
  return {
    /** Returns the error of an attempt and its work: statements, hashes with their queue, delays. */
    async attempt(username: string, ip: string) {
      work = [];
      let refusal: unknown;
      const statements = await statementsOf(database.db, async () => {
        refusal = await checkLogin({ username, password: 'wrong', ip }).catch((error: unknown) => error);
      });
      return { refusal: String(refusal), work: [...statements.map(({ text }) => text), ...work] };
    },
    close: () => Promise.all([database.close(), sql.end()]),
    hashes: () => sql<{ hash: string }[]>`select password_hash as hash from users where password_hash like '$argon2%'`,
  };
}

it('B3 a wrong password costs the same statements and one hash in the same queue, whatever the name or address', async () => {
  const check = await openCheck();
  try {
    for (const [ip, queue] of [
      [usualAddress, 'known addresses'],
      ['192.0.2.1', 'others'],
    ] as const) {
      const [first, ...rest] = names;
      const expected = await check.attempt(first ?? '', ip);
      expect(expected.refusal).toContain('Invalid username or password');
      expect(expected.work).toEqual([
        expect.stringContaining('"sign_in_sources"'),
        expect.stringContaining('"users"'),
        `hash in the queue of ${queue}`,
      ]);
      for (const name of rest) expect(await check.attempt(name, ip), name).toEqual(expected);
    }
    const parametersOf = (hash: string) => hash.split('$').slice(1, 4);
    const stored = (await check.hashes()).map(({ hash }) => parametersOf(hash));
    expect(stored).toEqual([parametersOf(dummyHash), parametersOf(dummyHash)]);
  } finally {
    await check.close();
  }
});

/** Guesses that an address has pending; together they would take a core some twelve seconds. */
const guessesOfAddress = 20;

it('B4 beside twelve addresses that guess, a known address is let in, and a new one after one guess of each', async () => {
  const cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  const { baseUrl } = cluster;
  const guesses: Promise<void>[] = [];
  try {
    const admin = createClient(baseUrl, cluster.adminKey);
    for (const username of ['ann', 'bob']) {
      await admin.result('create_user', { username, password, email: `${username}@example.com` });
    }
    expect(await signInFrom(baseUrl, '127.0.1.100', { username: 'ann', password })).toBe(302);
    let answered = 0;
    const guess = async (address: number, number: number) => {
      const username = number === 0 ? 'ann' : `nobody-${address}-${number}`;
      const status = await signInFrom(baseUrl, `127.0.1.${address}`, { username, password: 'wrong' });
      if (status === 403) answered += 1;
    };
    for (let number = 0; number < guessesOfAddress; number += 1) {
      for (let address = 1; address <= 12; address += 1) guesses.push(guess(address, number));
    }
    // All of them are under way when the first ones have been answered.
    await Promise.race(guesses);
    const signIn = async (username: string, address: string) => {
      const before = answered;
      const status = await signInFrom(baseUrl, address, { username, password });
      return { status, passed: answered - before };
    };
    const [known, fresh] = await Promise.all([signIn('ann', '127.0.1.100'), signIn('bob', '127.0.1.200')]);
    expect([known.status, fresh.status]).toEqual([302, 302]);
    // One of each address may be before it, and as many more while the requests themselves are under way.
    for (const { passed } of [known, fresh]) expect(passed).toBeLessThanOrEqual(3 * 12);
  } finally {
    await cluster.kill();
    await Promise.allSettled(guesses);
  }
});
