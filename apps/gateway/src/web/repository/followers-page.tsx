import { InvalidRequestError, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { pathTo } from '../http/path-segments.ts';
import { showRepositoryPage } from '../layout/repository-frame.tsx';
import { shownText } from '../render/shown-text.ts';
import { readHead } from './repository-head.ts';
import { Pager } from '../layout/list-controls.tsx';
import { withoutRest, type RepositoryPage } from './repository-page.ts';
import { contentHeaders } from '../../http/web-headers.ts';
import { noticeCookie } from '../http/notice.ts';
import { seeOther } from '../layout/page.tsx';
import type { PageRoute } from '../page-route.ts';
import { safeReturnPath } from '../sign-in/safe-return-path.ts';

type Follower = ResultOfMethod<Served['list_followers']>['followers'][number];

function fullName({ firstname, lastname }: Follower): string {
  return [firstname, lastname].filter(Boolean).join(' ');
}

/** The page of a repository's followers. */
export const followersPage: RepositoryPage = withoutRest({
  pageName: 'FollowersController:followers',
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

/** Follows or unfollows a repository. A program gets `ok`; a form of a page is redirected to its `came_from`. */
export const toggleFollowingRoute: PageRoute = {
  pageName: 'JournalController:toggle_following',
  audience: 'users',
  async post({ worker, form }) {
    const repoid = Number(form.get('follows_repo_id') ?? NaN);
    if (!Number.isInteger(repoid)) throw new InvalidRequestError('The form does not name a repository');
    const { is_following: isFollowing, repo_name: name } = await worker.call('view_repository', { repoid });
    await worker.call(isFollowing ? 'unfollow_repo' : 'follow_repo', { repoid });
    const cameFrom = form.get('came_from');
    if (cameFrom !== null) {
      const notice = `You ${isFollowing ? 'no longer follow' : 'now follow'} ${name}.`;
      return seeOther(safeReturnPath(cameFrom), noticeCookie(notice));
    }
    return new Response('ok', { headers: { ...contentHeaders, 'Content-Type': 'text/plain; charset=utf-8' } });
  },
};
