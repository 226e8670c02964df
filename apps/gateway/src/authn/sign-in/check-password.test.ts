import { UnavailableError } from '@trunkline/contracts';
import { hashPassword } from '@trunkline/runtime';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { checkPassword } from './check-password.ts';

const ldapDn = 'uid=ann,dc=example,dc=com';
let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashPassword('local');
});

/** A directory that knows one password. */
const directoryWith = (known: string) => {
  const bind = vi.fn(async (_: string, password: string) => password === known);
  return { bind };
};

describe('checkPassword', () => {
  it.each([null, ldapDn])('without a directory takes the local password, ldap_dn %j or not', async (dn) => {
    expect(await checkPassword({ passwordHash, ldapDn: dn }, 'local', null)).toBe(true);
    expect(await checkPassword({ passwordHash, ldapDn: dn }, 'other', null)).toBe(false);
  });

  it('refuses who has no password, and who does not exist', async () => {
    for (const password of ['', 'local', 'null']) {
      expect(await checkPassword({ passwordHash: null, ldapDn: null }, password, null)).toBe(false);
      expect(await checkPassword(undefined, password, directoryWith(password))).toBe(false);
    }
  });

  it('B5 leaves those who stand in the directory to it alone', async () => {
    const ldap = directoryWith('theirs');
    const user = { passwordHash, ldapDn };
    expect(await checkPassword(user, 'theirs', ldap)).toBe(true);
    expect(ldap.bind).toHaveBeenLastCalledWith(ldapDn, 'theirs');
    expect(await checkPassword(user, 'local', ldap)).toBe(false);
  });

  it('asks no directory about others', async () => {
    const ldap = directoryWith('theirs');
    for (const dn of [null, '']) {
      expect(await checkPassword({ passwordHash, ldapDn: dn }, 'local', ldap)).toBe(true);
      expect(await checkPassword({ passwordHash, ldapDn: dn }, 'theirs', ldap)).toBe(false);
    }
    expect(ldap.bind).not.toHaveBeenCalled();
  });

  it('sends no empty password, which would be an anonymous bind', async () => {
    const ldap = directoryWith('');
    expect(await checkPassword({ passwordHash, ldapDn }, '', ldap)).toBe(false);
    expect(ldap.bind).not.toHaveBeenCalled();
  });

  it('never calls a password wrong because the directory is away', async () => {
    const ldap = { bind: () => Promise.reject(new UnavailableError()) };
    await expect(checkPassword({ passwordHash, ldapDn }, 'local', ldap)).rejects.toThrow(UnavailableError);
  });
});
