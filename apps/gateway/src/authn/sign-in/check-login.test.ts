import { UnavailableError } from '@trunkline/contracts';
import { hashPassword } from '@trunkline/runtime';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { checkPassword, type PasswordOwner, type RunQueued } from './check-login.ts';
import type { Ldap } from './ldap.ts';

const ldapDn = 'uid=ann,dc=example,dc=com';
let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashPassword('local');
});

/** Creates an LDAP server that accepts one password for every entry. */
const ldapWith = (known: string) => {
  const bind = vi.fn(async (_: string, password: string) => password === known);
  return { bind };
};

const runQueued: RunQueued = (_, run) => run();
const check = (user: PasswordOwner | undefined, password: string, ldap: Ldap | null) =>
  checkPassword(user, password, { ldap, runQueued });

describe('checkPassword', () => {
  it('B3 hashes once for a right, a wrong and an empty password, and for an unknown user', async () => {
    const turns: string[] = [];
    const counted: RunQueued = (kind, run) => {
      turns.push(kind);
      return run();
    };
    const tools = { ldap: ldapWith('theirs'), runQueued: counted };
    const local = { passwordHash, ldapDn: null };
    for (const user of [local, { ...local, passwordHash: null }, undefined]) {
      for (const password of ['local', 'other', '']) await checkPassword(user, password, tools);
    }
    expect(turns).toEqual(Array(9).fill('hash'));
    await checkPassword({ passwordHash, ldapDn }, 'theirs', tools);
    expect(turns.at(-1)).toBe('bind');
  });

  it.each([null, ldapDn])('checks the local password without an LDAP server, ldap_dn %j or not', async (dn) => {
    expect(await check({ passwordHash, ldapDn: dn }, 'local', null)).toBe(true);
    expect(await check({ passwordHash, ldapDn: dn }, 'other', null)).toBe(false);
  });

  it('refuses users without a password, and unknown users', async () => {
    for (const password of ['', 'local', 'null']) {
      expect(await check({ passwordHash: null, ldapDn: null }, password, null)).toBe(false);
      expect(await check(undefined, password, ldapWith(password))).toBe(false);
    }
  });

  it('B5 checks the passwords of LDAP users at the LDAP server alone', async () => {
    const ldap = ldapWith('theirs');
    const user = { passwordHash, ldapDn };
    expect(await check(user, 'theirs', ldap)).toBe(true);
    expect(ldap.bind).toHaveBeenLastCalledWith(ldapDn, 'theirs');
    expect(await check(user, 'local', ldap)).toBe(false);
  });

  it('does not ask the LDAP server about local users', async () => {
    const ldap = ldapWith('theirs');
    for (const dn of [null, '']) {
      expect(await check({ passwordHash, ldapDn: dn }, 'local', ldap)).toBe(true);
      expect(await check({ passwordHash, ldapDn: dn }, 'theirs', ldap)).toBe(false);
    }
    expect(ldap.bind).not.toHaveBeenCalled();
  });

  it('sends no empty password, which would be an anonymous bind', async () => {
    const ldap = ldapWith('');
    expect(await check({ passwordHash, ldapDn }, '', ldap)).toBe(false);
    expect(ldap.bind).not.toHaveBeenCalled();
  });

  it('throws UnavailableError, and refuses no password as wrong, while the LDAP server is unreachable', async () => {
    const ldap = { bind: () => Promise.reject(new UnavailableError()) };
    await expect(check({ passwordHash, ldapDn }, 'local', ldap)).rejects.toThrow(UnavailableError);
  });
});
