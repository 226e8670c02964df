import { describe, expect, it, vi } from 'vitest';
import { AuthenticationError, BusyError } from '@trunkline/contracts';
import { AcceptedLogins, createBasicLogin, createRememberSource, parseBasic } from './basic-login.ts';
import type { Candidate } from './sign-in/sign-in-store.ts';
import { addressRefused } from './authenticate.ts';

const encode = (text: string) => Buffer.from(text).toString('base64');

it.each([
  [`Basic ${encode('ann:secret')}`, { username: 'ann', password: 'secret' }],
  [`basic  ${encode('änn:ge:heim')}`, { username: 'änn', password: 'ge:heim' }],
  [`Basic ${encode(':')}`, { username: '', password: '' }],
])('%j holds a name and a password', (header, credentials) => {
  expect(parseBasic(header)).toEqual(credentials);
});

it.each([`Basic ${encode('no colon')}`, `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`, 'Basic AAAA'])(
  '%j is the login of nobody',
  (header) => {
    expect(parseBasic(header)).toEqual({ username: '', password: '' });
  },
);

it.each([undefined, '', 'Basic', 'Basic ', 'Bearer x', `Basic ${encode('a:b')} x`, 'Basic !!!!'])(
  '%j holds no login',
  (header) => {
    expect(parseBasic(header)).toBeNull();
  },
);

const rememberedAnn: Candidate = {
  userId: 3,
  username: 'Ann',
  admin: false,
  active: true,
  passwordHash: 'hash',
  ldapDn: null,
  fingerprint: 'f'.repeat(64),
  networks: [],
  isUsualSource: false,
};

it('B4 the source of a login is remembered once, whatever becomes of it', async () => {
  const remembered: string[] = [];
  const warned = vi.fn();
  const remember = async (_user: Candidate, source: string) => {
    remembered.push(source);
    if (source === '192.0.2.2') throw new BusyError();
  };
  const rememberSource = createRememberSource({ remember }, { warn: warned });
  rememberSource(rememberedAnn, '192.0.2.1');
  rememberSource(rememberedAnn, '192.0.2.2');
  rememberSource({ ...ann, isUsualSource: true }, '192.0.2.3');
  expect(remembered).toEqual(['192.0.2.1', '192.0.2.2']);
  await vi.waitFor(() => expect(warned).toHaveBeenCalledTimes(1), { timeout: 20_000 });
});

const key = 'a'.repeat(40);
const keyLikePassword = 'b'.repeat(40);
const ip = '192.0.2.1';

const ann: Candidate = {
  userId: 3,
  username: 'Ann',
  admin: false,
  active: true,
  passwordHash: 'hash',
  ldapDn: null,
  fingerprint: 'f'.repeat(64),
  networks: ['192.0.2.0/24'],
  isUsualSource: false,
};

/** Creates a login with one user, whose passwords are `secret` and one that looks like a key. */
function setUp() {
  const clock = { time: 1_000, now: () => clock.time, sleep: async () => {} };
  const state = { checks: 0, fingerprint: ann.fingerprint, isBusy: false, onCheck: () => {} };
  const accepted = new AcceptedLogins(clock);
  const remembered: string[] = [];
  const login = createBasicLogin({
    accepted,
    store: { remember: async (_user, source) => void remembered.push(source) },
    logger: { warn: () => {} },
    async authenticate(sent, from) {
      if (state.isBusy) throw new BusyError();
      if (sent !== key) throw new AuthenticationError('Invalid API key');
      if (from === '10.0.0.1') throw addressRefused(from);
      return { userId: 3, username: 'Ann', admin: false, apiKeyId: 7, limitedTo: null };
    },
    async checkLogin({ username, password, ip: from }) {
      state.checks += 1;
      state.onCheck();
      const isRight = username.toLowerCase() === 'ann' && ['secret', keyLikePassword].includes(password);
      if (!isRight) throw new AuthenticationError('Invalid username or password');
      if (!from.startsWith('192.0.2.')) throw addressRefused(from);
      return { ...ann, fingerprint: state.fingerprint };
    },
  });
  const enter = (username: string, password: string, from = ip) => login({ username, password }, from);
  return { clock, state, accepted, remembered, enter };
}

const byPassword = { userId: 3, ip, credential: { kind: 'password', fingerprint: ann.fingerprint } };

describe('a key as password', () => {
  it.each(['api-key', 'Ann', 'ann'])('is accepted with the name %s, without work for a password', async (name) => {
    const { state, enter } = setUp();
    expect(await enter(name, key)).toEqual({ userId: 3, ip, credential: { kind: 'key', id: 7 } });
    expect(state.checks).toBe(0);
  });

  it.each(['', 'bob', 'api-keys', 'Ann '])('B4 is refused with the name %j', async (name) => {
    await expect(setUp().enter(name, key)).rejects.toThrow(AuthenticationError);
  });

  it('B12 is refused from an address that is not allowed, and is no password then', async () => {
    const { state, enter } = setUp();
    await expect(enter('Ann', key, '10.0.0.1')).rejects.toThrow('request from IP:10.0.0.1 not allowed');
    expect(state.checks).toBe(0);
  });

  it('is tried first, and a password may look like a key', async () => {
    const { state, enter } = setUp();
    expect(await enter('ann', keyLikePassword)).toEqual(byPassword);
    state.isBusy = true;
    await expect(enter('ann', keyLikePassword)).rejects.toThrow(BusyError);
  });
});

describe('F6 a name and a password', () => {
  it('are checked once in a minute, and once for all that wait', async () => {
    const { clock, state, enter } = setUp();
    expect(await Promise.all([enter('ann', 'secret'), enter('ann', 'secret')])).toEqual([byPassword, byPassword]);
    clock.time = 60_999;
    await enter('ann', 'secret');
    expect(state.checks).toBe(1);
    clock.time = 61_001;
    await enter('ann', 'secret');
    expect(state.checks).toBe(2);
  });

  it('B13 are checked each time when they are wrong', async () => {
    const { state, enter } = setUp();
    for (const [name, password] of [
      ['ann', 'wrong'],
      ['ann', 'wrong'],
      ['anns', 'ecret'],
      ['bob', 'secret'],
    ] as const) {
      await expect(enter(name, password)).rejects.toThrow('Invalid username or password');
    }
    expect(state.checks).toBe(4);
  });

  it('B5 are forgotten when users change, also while they are checked', async () => {
    const { state, accepted, enter } = setUp();
    await enter('ann', 'secret');
    state.fingerprint = 'e'.repeat(64);
    accepted.drop(null);
    expect(await enter('ann', 'secret')).toMatchObject({ credential: { fingerprint: state.fingerprint } });
    accepted.drop(null);
    state.onCheck = () => accepted.drop(null);
    await enter('ann', 'secret');
    await enter('ann', 'secret');
    expect(state.checks).toBe(4);
  });

  it('B4 have their address remembered when they were checked and accepted', async () => {
    const { remembered, enter } = setUp();
    await enter('ann', 'secret');
    await enter('ann', 'secret', '192.0.2.9');
    await enter('ann', key);
    await expect(enter('ann', 'wrong', '192.0.2.8')).rejects.toThrow('Invalid username or password');
    expect(remembered).toEqual([ip]);
  });

  it('B12 count from allowed addresses alone, also when they were accepted before', async () => {
    const { enter } = setUp();
    await enter('ann', 'secret');
    await expect(enter('ann', 'secret', '10.0.0.1')).rejects.toThrow('request from IP:10.0.0.1 not allowed');
  });
});
