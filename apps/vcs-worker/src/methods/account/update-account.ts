import { emailTaken } from '../../domain/user/email-store.ts';
import { changeUser } from '../../domain/user/user-change-store.ts';
import type { MethodHandler } from '../context.ts';

export const updateAccount: MethodHandler<'update_account'> = async ({ firstname, lastname, email }, { transact }) =>
  transact(async ({ db, access }) => {
    const change = { firstname: firstname ?? undefined, lastname: lastname ?? undefined };
    await changeUser(db, access.user.id, change, email, (cause) => emailTaken(email?.sent ?? '', cause));
    return { success: true, msg: `updated user \`${access.user.username}\`` };
  });
