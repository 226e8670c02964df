import type { RepositoryHead } from '../repository/head/repository-head.ts';
import type { Visit } from '../visit.ts';
import { CsrfField } from './page.tsx';

/** Renders the form that follows or unfollows a repository, for visitors who are signed in. */
export function FollowForm({ visit, repository }: { visit: Visit; repository: RepositoryHead }) {
  const { visitor } = visit;
  if (!visitor.session) return null;
  return (
    <form method="post" action="/_admin/toggle_following">
      <CsrfField visitor={visitor} />
      <input type="hidden" name="follows_repo_id" value={repository.repo_id} />
      <input type="hidden" name="came_from" value={visit.http.incoming.url ?? '/'} />
      <button class="plain small">{repository.is_following ? 'Unfollow' : 'Follow'}</button>
    </form>
  );
}
