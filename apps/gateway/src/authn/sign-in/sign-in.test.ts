import { AuthenticationError, BusyError, UnavailableError } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { createLogger } from '@trunkline/runtime';
import { describe, expect, it, vi } from 'vitest';
import { readSessionToken } from '../sessions.ts';
import type { PasswordQueue } from './password-queues.ts';
import { createCheckLogin } from './check-login.ts';
import type { Candidate, NewSession, SignInStore } from './sign-in-store.ts';
import { createSignIn } from './sign-in.ts';

const vault = createSecretVault('x'.repeat(32));
const logger = createLogger({ role: 'test', level: 'silent' });
const invalid = new AuthenticationError('Invalid username or password');

/** The address from which the user has signed in before. */
const herAddress = '198.51.100.1';

const ann: Candidate = {
  userId: 3,
  username: 'Ann',
  admin: false,
  active: true,
  passwordHash: null,
  ldapDn: 'uid=ann',
  networks: [],
  fingerprint: 'f'.repeat(64),
  isUsualSource: false,
};

/** Creates a sign-in with one user, whom LDAP authenticates, and whose queues count hashes instead of running them. */
function setUp(row: Partial<Candidate> = {}) {
  const clock = {
    time: 1_000_000,
    waits: [] as number[],
    now: () => clock.time,
    async sleep(ms: number) {
      clock.waits.push(ms);
    },
  };
  const state = {
    opened: [] as NewSession[],
    lookedUp: [] as string[],
    queued: [] as string[],
    upgraded: [] as number[],
    refuses: false,
    away: false,
  };
  const queue = (name: string): PasswordQueue => ({
    async run(kind, source, check) {
      state.queued.push(`${name} ${kind} ${source}`);
      // No password is right by its hash.
      return kind === 'hash' ? (false as never) : check();
    },
  });
  const store: SignInStore = {
    async find(loginKey, source) {
      state.lookedUp.push(loginKey);
      const isKnownSource = source === herAddress;
      const user = ['ann', 'ann@example.com'].includes(loginKey)
        ? { ...ann, isUsualSource: isKnownSource, ...row }
        : undefined;
      return { user, isKnownSource, foreignWork: false };
    },
    async open(_, session) {
      if (state.refuses) return undefined;
      return state.opened.push(session);
    },
    async remember() {},
  };
  const checkLogin = createCheckLogin({
    store,
    upgradePassword: async ({ userId }) => void state.upgraded.push(userId),
    clock,
    logger,
    queues: { known: queue('known'), other: queue('other') },
    ldap: {
      async bind(dn, password) {
        if (state.away) throw new UnavailableError();
        return dn === 'uid=ann' && password === 'right';
      },
    },
  });
  const signIn = createSignIn({ store, checkLogin, vault, logger });
  const attempt = (password = 'right', username = 'ann', ip = '192.0.2.1') =>
    signIn({ username, password, ip, userAgent: 'browser' });
  return { clock, state, attempt };
}

async function outcomeOf(attempt: Promise<unknown>): Promise<'in' | 'refused' | 'busy'> {
  try {
    await attempt;
    return 'in';
  } catch (error) {
    if (error instanceof AuthenticationError) return 'refused';
    if (error instanceof BusyError) return 'busy';
    throw error;
  }
}

describe('signIn', () => {
  it('returns a new token each time, and stores only its HMAC', async () => {
    const { state, attempt } = setUp();
    const [one, other] = [await attempt(), await attempt()];
    expect(one.session).toEqual({ sessionId: 1, userId: 3, username: 'Ann' });
    expect(one.token).not.toBe(other.token);
    expect(readSessionToken(one.token)).toEqual({ userId: 3, signedInAt: expect.any(Number) });
    expect(state.opened[0]).toEqual({
      hmac: vault.hmac('session lookup', one.token),
      ip: '192.0.2.1',
      source: '192.0.2.1',
      userAgent: 'browser',
    });
  });

  it('finds a name without regard to case', async () => {
    const { state, attempt } = setUp();
    await attempt('right', 'aNN');
    expect(state.lookedUp).toEqual(['ann']);
  });

  it('B3 throws one error for a wrong name, a wrong password and an inactive user', async () => {
    await expect(setUp().attempt('right', 'bob')).rejects.toThrow(invalid);
    await expect(setUp().attempt('wrong')).rejects.toThrow(invalid);
    await expect(setUp({ active: false }).attempt()).rejects.toThrow(invalid);
  });

  it('B5 throws the same error when the user changed since the password was checked', async () => {
    const { state, attempt } = setUp();
    state.refuses = true;
    await expect(attempt()).rejects.toThrow(invalid);
  });

  it('B12 names a refused address only to a client with the right password', async () => {
    const { state, attempt } = setUp({ networks: ['198.51.100.0/24'] });
    await expect(attempt()).rejects.toThrow(new AuthenticationError('request from IP:192.0.2.1 not allowed'));
    await expect(attempt('wrong')).rejects.toThrow(invalid);
    expect(state.opened).toEqual([]);
    await expect(attempt('right', 'ann', '198.51.100.7')).resolves.toBeDefined();
  });

  it('B12 logs a right password from a refused address, with the user', async () => {
    const info = vi.spyOn(logger, 'info');
    const { attempt } = setUp({ networks: ['198.51.100.0/24'] });
    await expect(attempt()).rejects.toThrow('not allowed');
    const lines = info.mock.calls.map(([line]) => line);
    info.mockRestore();
    expect(lines).toEqual([{ userId: 3, ip: '192.0.2.1' }]);
  });

  it('B3 the address alone chooses the queue, and every name costs one check there', async () => {
    const { state, attempt } = setUp({ ldapDn: null });
    for (const address of ['192.0.2.1', herAddress]) {
      for (const name of ['ann', 'nobody']) await outcomeOf(attempt('wrong', name, address));
    }
    expect(state.queued).toEqual([
      'other hash 192.0.2.1',
      'other hash 192.0.2.1',
      `known hash ${herAddress}`,
      `known hash ${herAddress}`,
    ]);
  });

  it('queues addresses of a /64 of IPv6 as one source', async () => {
    const { state, attempt } = setUp();
    await outcomeOf(attempt('wrong', 'ann', '2001:db8::1'));
    await outcomeOf(attempt('wrong', 'ann', '2001:db8::2'));
    expect(new Set(state.queued).size).toBe(1);
  });

  it('B13 refuses impossible names and passwords without a query', async () => {
    const { state, attempt } = setUp();
    await expect(attempt('x'.repeat(1_001))).rejects.toThrow(invalid);
    await expect(attempt('right', 'x'.repeat(256))).rejects.toThrow(invalid);
    await expect(attempt('right', 'ann\0')).rejects.toThrow(invalid);
    expect(state.lookedUp).toEqual([]);
  });

  it('throws UnavailableError, and refuses no password as wrong, while the LDAP server is unreachable', async () => {
    const { state, attempt } = setUp();
    state.away = true;
    for (let count = 0; count < 50; count += 1) await expect(attempt()).rejects.toThrow(UnavailableError);
    state.away = false;
    await expect(attempt()).resolves.toBeDefined();
  });
});

describe('guessing', () => {
  const addresses = Array.from({ length: 12 }, (_, index) => `192.0.2.${index}`);
  const guessAnn = async (attempt: ReturnType<typeof setUp>['attempt'], times: number) => {
    const outcomes: string[] = [];
    for (let count = 0; count < times; count += 1) {
      for (const address of addresses) outcomes.push(await outcomeOf(attempt('wrong', 'ann', address)));
    }
    return outcomes;
  };

  it('B4 three guesses of one user’s password from each address are let through, then all of them share its rate', async () => {
    const { clock, attempt } = setUp();
    const outcomes = await guessAnn(attempt, 10);
    expect(outcomes.slice(0, 36)).toEqual(Array(36).fill('refused'));
    expect(outcomes.slice(36)).toEqual(Array(84).fill('busy'));
    expect(Math.max(...clock.waits)).toBe(2_000);
    // One guess a second in all, after those that were let through are paid off.
    clock.time += 36_000;
    const later = await guessAnn(attempt, 1);
    expect(later.filter((one) => one === 'refused')).toHaveLength(10);
  });

  it('B4 guesses count for the user, by the username and by the e-mail address alike', async () => {
    const { attempt } = setUp();
    await guessAnn(attempt, 10);
    expect(await outcomeOf(attempt('right', 'Ann@Example.com', addresses[0]))).toBe('busy');
    expect(await outcomeOf(attempt('right', 'Ann@Example.com', '203.0.113.7'))).toBe('in');
  });

  it('B4 twelve addresses that guess delay the user at a new address by two seconds at most', async () => {
    const { clock, attempt } = setUp();
    await guessAnn(attempt, 10);
    clock.waits.length = 0;
    expect(await outcomeOf(attempt('right', 'ann', '203.0.113.7'))).toBe('in');
    expect(clock.waits).toEqual([2_000]);
  });

  it('B4 a right password is not charged to a new address', async () => {
    const { attempt } = setUp();
    await guessAnn(attempt, 10);
    for (let count = 0; count < 10; count += 1) {
      expect(await outcomeOf(attempt('right', 'ann', '203.0.113.7'))).toBe('in');
    }
  });

  it('B4 does not delay a user who has signed in from the same address before', async () => {
    const { clock, attempt } = setUp();
    await guessAnn(attempt, 10);
    clock.waits.length = 0;
    expect(await outcomeOf(attempt('right', 'ann', herAddress))).toBe('in');
    expect(clock.waits).toEqual([]);
    expect(await outcomeOf(attempt())).toBe('busy');
  });

  it('B4 guesses for a name that ends in an address do not delay the user who has signed in from that address', async () => {
    const { clock, attempt } = setUp();
    for (let guess = 0; guess < 10; guess += 1) {
      await outcomeOf(attempt('wrong', `ann ${herAddress}`, `192.0.2.${guess}`));
    }
    clock.waits = [];
    expect(await outcomeOf(attempt('right', 'ann', herAddress))).toBe('in');
    expect(clock.waits).toEqual([]);
  });

  it('B4 guesses of many users’ passwords, from one address, are slowed down', async () => {
    const { attempt } = setUp();
    const outcomes: string[] = [];
    for (let count = 0; count < 100; count += 1) outcomes.push(await outcomeOf(attempt('wrong', `user${count}`)));
    expect(outcomes.filter((one) => one === 'refused')).toHaveLength(30);
    expect(outcomes.filter((one) => one === 'busy')).toHaveLength(70);
    expect(await outcomeOf(attempt('right', 'ann', '198.51.100.1'))).toBe('in');
  });
});
