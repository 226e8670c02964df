import type { ListedUser } from '@trunkline/contracts';
import type { AccountScope } from '../../account/account-scope.ts';
import type { Account } from '../../layout/account-frame.tsx';
import type { Visit } from '../../visit.ts';
import { idSegment } from '../id-segment.ts';

export const usersView = 'UsersController:__before__';

const parts = {
  '': 'Profile',
  emails: 'E-mail addresses',
  api_keys: 'API keys',
  ips: 'IP restrictions',
  perms: 'Permissions',
  groups: 'User groups',
  advanced: 'Delete',
};

/** The path of a user's administration. */
export function userPath(id: number): string {
  return `/_admin/users/${id}/edit`;
}

interface Administered {
  readonly account: Account;
  readonly user: ListedUser;
}

/** The user that an address names. */
export async function administeredUser(visit: Visit): Promise<Administered> {
  const user = await visit.worker.call('view_user', { userid: idSegment(visit) });
  const { user_id: id, username } = user;
  const heading = username === 'default' ? 'default (everybody)' : username;
  return { user, account: { heading, path: userPath(id), section: 'admin', userid: id, parts } };
}

/** The pages of any user's account, for administrators. */
export const administeredAccount: AccountScope = {
  view: usersView,
  audience: 'administrators',
  accountOf: async (visit) => (await administeredUser(visit)).account,
};
