import { OperationFailedError, usernameProblem } from '@trunkline/contracts';
import { generateApiKey, toStoredKey } from '@trunkline/db';
import { hashPassword } from '@trunkline/runtime';
import { requireEmailFree } from '../../domain/user/email-store.ts';
import { toUserRecord } from '../../domain/user/user-record.ts';
import { insertUser, requireUsernameFree } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const createUser: MethodHandler<'create_user'> = async (args, { authorize, transact, vault }) => {
  await authorize();
  const passwordHash = args.password ? await hashPassword(args.password) : null;

  const user = await transact(async ({ db }) => {
    await requireUsernameFree(db, args.username);
    await requireEmailFree(db, args.email);
    const problem = usernameProblem(args.username);
    if (problem) throw new OperationFailedError(`failed to create user \`${args.username}\`: ${problem}`);
    return insertUser(db, {
      username: args.username,
      email: args.email,
      passwordHash,
      firstname: args.firstname,
      lastname: args.lastname,
      active: args.active,
      admin: args.admin,
      ldapDn: args.extern_type === 'ldap' ? (args.extern_name ?? args.ldap_dn) : args.ldap_dn,
      externType: args.extern_type,
      externName: args.extern_name,
      key: toStoredKey(vault, generateApiKey()),
    });
  });

  return { msg: `created new user \`${user.username}\``, user: toUserRecord(user) };
};
