import { insertEmail, requireFewEmails } from '../../domain/user/email-store.ts';
import { lockTargetUser } from '../../domain/user/lock-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const addUserEmail: MethodHandler<'add_user_email'> = async ({ email, userid }, { transact }) =>
  transact(async (scope) => {
    const { user } = await lockTargetUser(scope, userid);
    await requireFewEmails(scope.db, user, email);
    await insertEmail(scope.db, user.id, email);
    return { success: true, msg: `added email \`${email.address}\` to user \`${user.username}\`` };
  });
