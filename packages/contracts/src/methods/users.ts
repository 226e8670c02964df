import * as v from 'valibot';
import { optional, required, secret } from '../args/arg.ts';
import { emailAddress, entityRef, flag, nameText, text } from '../args/schemas.ts';
import { limit, targetUser } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';
import { FullUserRecord, UserRecord, UserWithPermissionsRecord } from '../records/user.ts';
import { Outcome } from '../records/parts.ts';

/** Spec 2.5: the client's IP address as the service sees it, and the address ranges from which a user may call. */
export const IpRecord = v.strictObject({
  ip_addr_server: v.string(),
  user_ips: v.array(v.strictObject({ ip_addr: v.string(), ip_range: v.tuple([v.string(), v.string()]) })),
});
export type IpRecord = v.InferOutput<typeof IpRecord>;

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

export const addUserEmail = defineMethod({
  name: 'add_user_email',
  summary: 'Adds an additional e-mail address to a user; a user has at most 100 addresses.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { email: required(emailAddress, 'Address that no user has yet; stored in lower case'), userid: targetUser },
  result: Outcome,
});

export const removeUserEmail = defineMethod({
  name: 'remove_user_email',
  summary: 'Removes an additional e-mail address of a user; the primary address cannot be removed.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { email: required(emailAddress, 'One of the user’s additional addresses'), userid: targetUser },
  result: Outcome,
});

const userid = required(entityRef, 'Username or user id; `default` stands for everybody');
const ip = required(text(1_000), 'An address or a network (CIDR), IPv4 or IPv6');

export const addUserIp = defineMethod({
  name: 'add_user_ip',
  summary:
    'Adds an address or network from which a user may connect. Without any entry for the user or for everybody, all addresses are allowed.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: { userid, ip },
  result: Outcome,
});

export const removeUserIp = defineMethod({
  name: 'remove_user_ip',
  summary: 'Removes an address or network from which a user may connect.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: { userid, ip },
  result: Outcome,
});
