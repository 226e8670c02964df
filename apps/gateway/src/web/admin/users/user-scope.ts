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

/** Returns the path of a user's administration pages. */
export function userPath(id: number): string {
  return `/_admin/users/${id}/edit`;
}

interface Administered {
  readonly account: Account;
  readonly user: ListedUser;
}

/** Reads the user whose id is in the path. Throws NotFoundError when there is none. */
export async function administeredUser(visit: Visit): Promise<Administered> {
  const user = await visit.worker.call('view_user', { userid: idSegment(visit) });
  const { user_id: id, username } = user;
  const heading = username === 'default' ? 'default (everybody)' : username;
  return { user, account: { heading, path: userPath(id), section: 'admin', userid: id, parts } };
}

/** The scope of the pages on which administrators change any user's account. */
export const administeredAccount: AccountScope = {
  view: usersView,
  audience: 'administrators',
  accountOf: async (visit) => (await administeredUser(visit)).account,
};
