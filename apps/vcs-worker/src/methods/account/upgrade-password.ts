import { ConflictError, InvalidArgsError } from '@trunkline/contracts';
import { hashPassword, isForeignHash, verifyPassword } from '@trunkline/runtime';
import { findPassword, replacePassword } from '../../domain/user/password-store.ts';
import type { MethodHandler } from '../context.ts';

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
