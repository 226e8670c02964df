import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { shownText } from '../../render/text/shown-text.ts';
import { readHead } from '../head/repository-head.ts';
import { Pager } from '../list/pager.tsx';
import type { RepositoryPage } from '../repository-page.ts';
import { withoutRest } from '../without-rest.ts';

type Follower = ResultOfMethod<Served['list_followers']>['followers'][number];

function fullName({ firstname, lastname }: Follower): string {
  return [firstname, lastname].filter(Boolean).join(' ');
}

/** The page of a repository's followers. */
export const followersPage: RepositoryPage = withoutRest({
  view: 'FollowersController:followers',
  async get(visit, address) {
    // Called first: `view_repository` refuses a hidden repository with the error of a path that names none.
    const repository = await readHead(visit, address);
    const cursor = visit.query.get('cursor') || null;
    const { followers, next } = await visit.worker.call('list_followers', { repoid: address.repoid, cursor });
    return showRepositoryPage(visit, address, {
      title: 'Followers',
      tab: 'followers',
      repository,
      children: (
        <>
          <h2>Followers</h2>
          {followers.length === 0 && <p>{cursor === null ? 'No followers yet.' : 'No more followers.'}</p>}
          <ul class="plain rows">
            {followers.map((user) => (
              <li>
                {user.username} <span class="soft">{shownText(fullName(user))}</span>
              </li>
            ))}
          </ul>
          <Pager cursor={cursor} next={next} path={pathTo(repository.repo_name, 'followers')} />
        </>
      ),
    });
  },
});
