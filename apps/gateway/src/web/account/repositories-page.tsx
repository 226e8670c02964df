import { ownAccount, showAccountPage } from './account-frame.tsx';
import { partPath } from '../layout/tabbed-pages.tsx';
import type { PageRoute } from '../page-route.ts';
import { Pager } from '../layout/list-controls.tsx';
import { RepositoryList } from '../repository/list/repository-list.tsx';

const kinds = {
  repos: { title: 'Own repositories', wanted: { owned: true }, empty: 'You own no repositories.' },
  watched: {
    title: 'Followed repositories',
    wanted: { watched: true },
    empty: 'You follow no repositories. Activity in the repositories that you follow is shown on your Activity page.',
  },
} as const;

function repositoriesPage(part: keyof typeof kinds): PageRoute {
  const { title, wanted, empty } = kinds[part];
  const { accountOf, ...route } = ownAccount;
  return {
    ...route,
    async get(visit) {
      const account = await accountOf(visit);
      const cursor = visit.query.get('cursor');
      const { repositories, next } = await visit.worker.call('browse_repositories', { ...wanted, cursor });
      const children = (
        <>
          <h2>{title}</h2>
          {repositories.length === 0 && <p class="soft">{cursor === null ? empty : 'There are no more.'}</p>}
          <RepositoryList repositories={repositories} group={null} />
          <Pager cursor={cursor} next={next} path={partPath(account, part)} />
        </>
      );
      return showAccountPage(visit, account, { part, children });
    },
  };
}

export const ownedPage = repositoriesPage('repos');
export const followedPage = repositoriesPage('watched');
