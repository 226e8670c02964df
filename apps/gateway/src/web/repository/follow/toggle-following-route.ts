import { InvalidRequestError } from '@trunkline/contracts';
import { contentHeaders } from '../../../http/web-headers.ts';
import { noticeCookie } from '../../http/notice.ts';
import { seeOther } from '../../layout/show-page.tsx';
import type { PageRoute } from '../../page-route.ts';
import { safeReturnPath } from '../../sign-in/safe-return-path.ts';

/** Follows or unfollows a repository. A program gets `ok`; a form of a page is redirected to its `came_from`. */
export const toggleFollowingRoute: PageRoute = {
  view: 'JournalController:toggle_following',
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
