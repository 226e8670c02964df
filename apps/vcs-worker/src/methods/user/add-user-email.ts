import { insertEmail } from '../../user/email-store.ts';
import { requireEditable, requireTargetUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const addUserEmail: MethodHandler<'add_user_email'> = async ({ email, userid }, { transact }) =>
  transact(async ({ db, access }) => {
    const user = requireEditable(await requireTargetUser(db, access, userid));
    await insertEmail(db, user.id, email);
    return { success: true, msg: `added email \`${email.address}\` to user \`${user.username}\`` };
  });
