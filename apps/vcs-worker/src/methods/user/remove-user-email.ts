import { removeEmail } from '../../domain/user/email-store.ts';
import { requireEditable, requireTargetUser } from '../../domain/user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const removeUserEmail: MethodHandler<'remove_user_email'> = async (
  { email: { address }, userid },
  { transact },
) =>
  transact(async ({ db, access }) => {
    const user = requireEditable(await requireTargetUser(db, access, userid));
    const success = await removeEmail(db, user, address);
    const msg = success
      ? `removed email \`${address}\` from user \`${user.username}\``
      : `user \`${user.username}\` has no email \`${address}\``;
    return { success, msg };
  });
