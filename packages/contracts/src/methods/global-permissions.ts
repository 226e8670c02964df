import * as v from 'valibot';
import { optional, required, withAliases, withValues } from '../args/arg.ts';
import { entityRef, text } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

const args = {
  perm: withValues(required(v.nullable(text(255)), '`hg.create.repository` or `hg.fork.repository`'), [
    'hg.create.repository',
    'hg.fork.repository',
  ]),
  userid: optional(entityRef, null, 'Username or user id; `default` stands for everybody', 'none'),
  usersgroupid: withAliases(
    optional(entityRef, null, 'User group name or id; either this or `userid`', 'none'),
    'usergroupid',
  ),
};
const result = v.strictObject({ msg: v.string(), success: v.literal(true) });

export const grantGlobalPermission = defineMethod({
  name: 'grant_global_permission',
  summary: 'Grants a global permission to a user or a user group.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args,
  result,
});

export const revokeGlobalPermission = defineMethod({
  name: 'revoke_global_permission',
  summary: 'Revokes a global permission from a user or a user group.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args,
  result,
});
