import { NotFoundError, type EmbeddedUserRecord } from '@trunkline/contracts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { shownText } from '../../render/text/shown-text.ts';
import type { RepositoryPage } from '../repository-page.ts';
import { withoutRest } from '../without-rest.ts';

function fullName({ firstname, lastname }: EmbeddedUserRecord): string {
  return [firstname, lastname].filter(Boolean).join(' ');
}

/** The page of a repository's followers. */
export const followersPage: RepositoryPage = withoutRest({
  view: 'FollowersController:followers',
  async get(visit, address) {
    const found = await visit.worker.call('get_repo', { repoid: address.repoid });
    if (!found) throw new NotFoundError('There is no such repository');
    const { followers } = found;
    return showRepositoryPage(visit, address, {
      title: 'Followers',
      tab: 'followers',
      children: (
        <>
          <h2>Followers</h2>
          {followers.length === 0 && <p>No followers yet.</p>}
          <ul class="plain rows">
            {followers.map((user) => (
              <li>
                {user.username} <span class="soft">{shownText(fullName(user))}</span>
              </li>
            ))}
          </ul>
        </>
      ),
    });
  },
});
