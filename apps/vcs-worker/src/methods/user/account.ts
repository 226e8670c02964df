import { ConflictError, InvalidArgsError, passwordProblem } from '@trunkline/contracts';
import { hashPassword, isForeignHash, verifyPassword } from '@trunkline/runtime';
import { changeUser, findPassword, replacePassword } from '../../domain/user/user-change-store.ts';
import { endSessions } from '../../domain/user/session-store.ts';
import type { MethodHandler } from '../context.ts';
import { emailTaken } from '../../domain/user/email-store.ts';

export const changePassword: MethodHandler<'change_password'> = async (
  args,
  { db, authorize, transact, announceCallersChanged },
) => {
  const { user } = await authorize();
  const { passwordHash, ldapDn } = await findPassword(db, user.id);
  if (ldapDn) throw new ConflictError('Your password is kept in the directory and changed there');
  const problem = passwordProblem(args.new_password, user.username);
  if (problem) throw new InvalidArgsError(`Invalid value for \`new_password\`: ${problem}`);
  const isWrong = () => new InvalidArgsError('Invalid value for `current_password`: is wrong');
  if (!(await verifyPassword(passwordHash, args.current_password))) throw isWrong();
  const newHash = await hashPassword(args.new_password);

  const answer = await transact(async ({ db, access }) => {
    if (!(await replacePassword(db, user.id, passwordHash, newHash))) throw isWrong();
    await endSessions(db, user.id, access.sessionId);
    return { success: true, msg: `changed password of user \`${access.user.username}\`` };
  });
  announceCallersChanged(user.id);
  return answer;
};

/** Sessions go on: the password stays the same. */
export const upgradePassword: MethodHandler<'upgrade_password'> = async (
  { password },
  { db, authorize, transact, announceCallersChanged },
) => {
  const { user } = await authorize();
  const { passwordHash } = await findPassword(db, user.id);
  const isOurs = () => new ConflictError('The password hash is not one of another program');
  if (passwordHash === null || !isForeignHash(passwordHash)) throw isOurs();
  if (!(await verifyPassword(passwordHash, password)))
    throw new InvalidArgsError('Invalid value for `password`: is wrong');
  const newHash = await hashPassword(password);

  const answer = await transact(async ({ db, access }) => {
    if (!(await replacePassword(db, user.id, passwordHash, newHash))) throw isOurs();
    return { success: true, msg: `replaced the password hash of user \`${access.user.username}\`` };
  });
  announceCallersChanged(user.id);
  return answer;
};

export const updateAccount: MethodHandler<'update_account'> = async ({ firstname, lastname, email }, { transact }) =>
  transact(async ({ db, access }) => {
    const change = { firstname: firstname ?? undefined, lastname: lastname ?? undefined };
    await changeUser(db, access.user.id, change, email, (cause) => emailTaken(email?.sent ?? '', cause));
    return { success: true, msg: `updated user \`${access.user.username}\`` };
  });
