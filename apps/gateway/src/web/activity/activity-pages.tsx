import type { ActivityRecord } from '@trunkline/contracts';
import { showPage } from '../layout/show-page.tsx';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import { ActivityList, type ActivityHeading } from './activity-list.tsx';

const perPage = 50;

async function showActivity(visit: Visit, heading: ActivityHeading): Promise<Response> {
  const { kind, title, path } = heading;
  const cursor = visit.query.get('cursor');
  const page = { limit: perPage + 1, ...(cursor === null ? {} : { cursor }) };
  const found: readonly ActivityRecord[] = await visit.worker.call('get_journal', { kind, ...page });
  const entries = found.slice(0, perPage);
  const next = found.length > perPage ? (entries.at(-1)?.id ?? null) : null;
  return showPage(visit, {
    title,
    section: 'journal',
    feeds: [
      { title: `${title}: RSS`, href: `${path}/rss`, type: 'application/rss+xml' },
      { title: `${title}: Atom`, href: `${path}/atom`, type: 'application/atom+xml' },
    ],
    children: <ActivityList heading={heading} visitor={visit.visitor} entries={entries} cursor={cursor} next={next} />,
  });
}

export const activityPage: PageRoute = {
  view: 'JournalController:index',
  audience: 'users',
  get: (visit) => showActivity(visit, { kind: 'own', title: 'Activity', path: '/_admin/journal' }),
};

export const publicActivityPage: PageRoute = {
  view: 'JournalController:public_journal',
  audience: 'anybody',
  get: (visit) => showActivity(visit, { kind: 'public', title: 'Public activity', path: '/_admin/public_journal' }),
};
