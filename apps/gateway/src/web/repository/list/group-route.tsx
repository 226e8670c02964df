import { InvalidArgsError, NotFoundError, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { showPage } from '../../layout/show-page.tsx';
import type { PageRoute } from '../../page-route.ts';
import type { Visit } from '../../visit.ts';
import { showNothing } from '../show-nothing.ts';
import { GroupPage } from './group-page.tsx';

const activityFeeds = [
  { title: 'Public activity: RSS', href: '/_admin/public_journal/rss', type: 'application/rss+xml' },
  { title: 'Public activity: Atom', href: '/_admin/public_journal/atom', type: 'application/atom+xml' },
];

type Found = ResultOfMethod<Served['browse_repositories']>;

interface Asked {
  readonly group: string | null;
  readonly filter?: string | null;
  readonly cursor?: string | null;
}

/** Reads the content of a group; null when there is no such group that the visitor may read. */
async function browse(visit: Visit, { group, ...part }: Asked): Promise<Found | null> {
  try {
    return await visit.worker.call('browse_repositories', { group, ...part });
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    // A wrong query is an error only for a group that exists, so that the error reveals no hidden repository.
    if (error instanceof InvalidArgsError && group !== null) {
      // With the group alone, the error is about its name, which no group can have.
      const isAlone = Object.keys(part).length === 0;
      if (isAlone || !(await browse(visit, { group }))) return null;
    }
    throw error;
  }
}

/** The page of the repository group at a path, or of the top level. */
export const groupRoute: PageRoute = {
  view: 'HomeController:index',
  audience: 'anybody',
  async get(visit) {
    const { segments, query, worker } = visit;
    // An escaped slash within a segment would give a group a second address.
    if (segments.some((segment) => segment.includes('/'))) return showNothing(visit);
    const group = segments.join('/') || null;
    const filter = query.get('filter')?.trim() || null;
    const cursor = query.get('cursor') || null;
    const [found, rights] = await Promise.all([browse(visit, { group, filter, cursor }), worker.call('view_rights')]);
    if (!found) return showNothing(visit);
    return showPage(visit, {
      title: group ?? visit.siteName,
      section: 'repositories',
      feeds: activityFeeds,
      children: (
        <GroupPage
          found={found}
          path={group === null ? '/' : pathTo(group)}
          filter={filter}
          cursor={cursor}
          mayCreate={visit.visitor.session !== null && rights.create_repository}
        />
      ),
    });
  },
};
