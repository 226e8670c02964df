import { NotFoundError, type Served, type ResultOfMethod } from '@trunkline/contracts';
import type { Account } from '../layout/account-frame.tsx';
import type { Visit } from '../visit.ts';

export type AccountUser = NonNullable<ResultOfMethod<Served['get_user']>>;

/** Reads the user of an account. Throws NotFoundError when there is no such user. */
export async function readUser(visit: Visit, { userid }: Account): Promise<AccountUser> {
  const user = await visit.worker.call('get_user', { userid });
  if (!user) throw new NotFoundError('There is no such user.');
  return user;
}
