import { UnavailableError } from '@trunkline/contracts';
import { hashPassword } from '@trunkline/runtime';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { checkPassword } from './check-password.ts';

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

describe('checkPassword', () => {
  it.each([null, ldapDn])('checks the local password without an LDAP server, ldap_dn %j or not', async (dn) => {
    expect(await checkPassword({ passwordHash, ldapDn: dn }, 'local', null)).toBe(true);
    expect(await checkPassword({ passwordHash, ldapDn: dn }, 'other', null)).toBe(false);
  });

  it('refuses users without a password, and unknown users', async () => {
    for (const password of ['', 'local', 'null']) {
      expect(await checkPassword({ passwordHash: null, ldapDn: null }, password, null)).toBe(false);
      expect(await checkPassword(undefined, password, ldapWith(password))).toBe(false);
    }
  });

  it('B5 checks the passwords of LDAP users at the LDAP server alone', async () => {
    const ldap = ldapWith('theirs');
    const user = { passwordHash, ldapDn };
    expect(await checkPassword(user, 'theirs', ldap)).toBe(true);
    expect(ldap.bind).toHaveBeenLastCalledWith(ldapDn, 'theirs');
    expect(await checkPassword(user, 'local', ldap)).toBe(false);
  });

  it('does not ask the LDAP server about local users', async () => {
    const ldap = ldapWith('theirs');
    for (const dn of [null, '']) {
      expect(await checkPassword({ passwordHash, ldapDn: dn }, 'local', ldap)).toBe(true);
      expect(await checkPassword({ passwordHash, ldapDn: dn }, 'theirs', ldap)).toBe(false);
    }
    expect(ldap.bind).not.toHaveBeenCalled();
  });

  it('sends no empty password, which would be an anonymous bind', async () => {
    const ldap = ldapWith('');
    expect(await checkPassword({ passwordHash, ldapDn }, '', ldap)).toBe(false);
    expect(ldap.bind).not.toHaveBeenCalled();
  });

  it('throws UnavailableError, and refuses no password as wrong, while the LDAP server is unreachable', async () => {
    const ldap = { bind: () => Promise.reject(new UnavailableError()) };
    await expect(checkPassword({ passwordHash, ldapDn }, 'local', ldap)).rejects.toThrow(UnavailableError);
  });
});
