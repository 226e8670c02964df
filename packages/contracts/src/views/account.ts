import * as v from 'valibot';
import { optional, required, secret } from '../args/arg.ts';
import { emailAddress, text } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';
import { Outcome } from '../records/parts.ts';

export const updateAccount = defineMethod({
  name: 'update_account',
  summary: 'Updates the account of the caller; absent arguments change nothing.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: {
    firstname: optional(text(255), null, 'First name'),
    lastname: optional(text(255), null, 'Last name'),
    email: optional(emailAddress, null, 'New primary e-mail address'),
  },
  result: Outcome,
});

export const changePassword = defineMethod({
  name: 'change_password',
  summary: "Changes the caller's password; ends all their other sessions.",
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: {
    current_password: secret('whole', required(text(1_000), 'Current password')),
    new_password: secret('whole', required(text(1_000), 'New password: at least 8 characters, not the username')),
  },
  result: Outcome,
});

export const upgradePassword = defineMethod({
  name: 'upgrade_password',
  summary: "Replaces the caller's password hash of another program, when the password is known.",
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { password: secret('whole', required(text(1_000), 'Password')) },
  result: Outcome,
});

export const viewRights = defineMethod({
  name: 'view_rights',
  summary: 'Returns the global permissions of the caller, for pages that offer the corresponding actions.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: {},
  result: v.strictObject({ create_repository: v.boolean(), fork_repository: v.boolean() }),
});
