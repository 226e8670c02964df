import { ConflictError, InvalidArgsError } from '@trunkline/contracts';
import { hashPassword, verifyPassword } from '@trunkline/runtime';
import { findPassword, replacePassword } from '../../domain/user/password-store.ts';
import { endSessions } from '../../domain/user/session-store.ts';
import type { MethodHandler } from '../context.ts';

export const changePassword: MethodHandler<'change_password'> = async (
  args,
  { db, authorize, transact, announceCallersChanged },
) => {
  const { user } = await authorize();
  const { passwordHash, ldapDn } = await findPassword(db, user.id);
  if (ldapDn) throw new ConflictError('Your password is kept in the directory and changed there');
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
