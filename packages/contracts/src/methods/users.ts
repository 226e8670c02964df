import * as v from 'valibot';
import { optional, required, secret } from '../args/arg.ts';
import { emailAddress, entityRef, flag, nameText, text } from '../args/schemas.ts';
import { limit } from '../args/page.ts';
import { defineMethod } from '../method.ts';
import { IpRecord } from '../records/ip.ts';
import { FullUserRecord, UserRecord, UserWithPermissionsRecord } from '../records/user.ts';

export const getUser = defineMethod({
  name: 'get_user',
  summary:
    'Returns one user with all permissions; null when it does not exist. Users other than administrators may name only themselves; administrators also get the bytes of the repositories that the user owns.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: { userid: optional(entityRef, null, 'Username or user id', 'the caller') },
  result: v.nullable(UserWithPermissionsRecord),
});

export const getUsers = defineMethod({
  name: 'get_users',
  summary: 'Lists all users, by username.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: { limit, cursor: optional(nameText, null, 'Only entries after the one with this `username`') },
  result: v.array(FullUserRecord),
});

export const createUser = defineMethod({
  name: 'create_user',
  summary: 'Creates a user with a built-in API key.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: {
    username: required(nameText, 'Letters, digits, `-`, `_`, `.`, `@`; not digits only'),
    email: required(emailAddress, 'Primary e-mail address'),
    password: secret(
      'whole',
      optional(text(1_000), null, 'Password for signing in; without a password, the user has only the API key'),
    ),
    firstname: optional(text(255), null, 'First name'),
    lastname: optional(text(255), null, 'Last name'),
    active: optional(flag, true, 'An inactive user can neither sign in nor use an API key'),
    admin: optional(flag, false, 'Whether the user is an administrator of the service'),
    ldap_dn: optional(text(1_000), null, 'Distinguished name in LDAP'),
    extern_type: optional(text(255), null, 'Authentication source; with `ldap`, extern_name becomes the ldap_dn'),
    extern_name: optional(text(1_000), null, 'Name in the authentication source'),
  },
  result: v.strictObject({ msg: v.string(), user: UserRecord }),
});

export const getIp = defineMethod({
  name: 'get_ip',
  aliases: ['show_ip'],
  summary: 'Returns the address of the client and the networks from which a user may connect; none means any network.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: { userid: required(entityRef, 'Username or user id') },
  result: IpRecord,
});

export const updateUser = defineMethod({
  name: 'update_user',
  summary: 'Updates a user; absent arguments change nothing.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: {
    userid: required(entityRef, 'Username or user id'),
    username: optional(nameText, null, 'New username'),
    email: optional(emailAddress, null, 'New primary e-mail address'),
    password: secret('whole', optional(text(1_000), null, 'New password')),
    firstname: optional(text(255), null, 'First name'),
    lastname: optional(text(255), null, 'Last name'),
    active: optional(flag, null, 'An inactive user can neither sign in nor use an API key'),
    admin: optional(flag, null, 'Whether the user is an administrator of the service'),
    ldap_dn: optional(text(1_000), null, 'Distinguished name in LDAP'),
  },
  result: v.strictObject({
    msg: v.string(),
    user: v.strictObject({ ...UserRecord.entries, api_key: v.string() }),
  }),
});

export const deleteUser = defineMethod({
  name: 'delete_user',
  summary: 'Deletes a user who owns no repository, repository group or user group.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: { userid: required(entityRef, 'Username or user id') },
  result: v.strictObject({ msg: v.string(), user: v.null() }),
});
