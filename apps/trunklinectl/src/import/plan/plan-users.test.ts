import { describe, expect, it } from 'vitest';
import type { SourceUser } from '../source/source.ts';
import { planPassword } from './plan-users.ts';

const bcrypt = '$2a$10$gsvIYDir2QKYniL6JN1mkuCqbzYtHTLeeTcKrK1ZrOBcVDz5pQMkC';
const user = (fields: Partial<SourceUser>): SourceUser => ({
  id: 2,
  username: 'ann',
  password: bcrypt,
  active: true,
  admin: false,
  firstname: null,
  lastname: null,
  email: null,
  lastLogin: null,
  createdAt: null,
  externType: null,
  externName: null,
  ldapDn: null,
  inherits: true,
  apiKey: null,
  furtherKeys: [],
  furtherEmails: [],
  networks: [],
  permissions: [],
  ...fields,
});

describe('planPassword', () => {
  it.each([
    ['bcrypt', { password: bcrypt }, bcrypt],
    ['bcrypt of a user whom the program keeps itself', { externType: 'internal' }, bcrypt],
    ['SHA-256', { password: 'AB'.repeat(32) }, 'ab'.repeat(32)],
    ['none for an empty one', { password: '' }, null],
    ['none for LDAP', { externType: 'ldap', externName: 'uid=ann' }, null],
    ['none for LDAP in former releases', { ldapDn: 'uid=ann' }, null],
    ['none for another outside program', { externType: 'pam' }, null],
  ])('takes on %s', (_, fields, hash) => {
    expect(planPassword(user(fields))).toEqual({ hash, problem: null });
  });

  it.each([['plain text'], [bcrypt.replace('$10$', '$11$')], [bcrypt.replace('$2a$', '$1$')], [`${bcrypt}x`]])(
    'tells that it cannot take on %s',
    (password) => {
      expect(planPassword(user({ password }))).toEqual({
        hash: null,
        problem: expect.stringContaining('set a new one'),
      });
    },
  );
});
