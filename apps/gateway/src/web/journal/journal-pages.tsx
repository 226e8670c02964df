import type { JournalEntryRecord } from '@trunkline/contracts';
import { showPage } from '../layout/show-page.tsx';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import { Journal, type JournalTold } from './journal.tsx';

const perPage = 50;

async function showJournal(visit: Visit, told: JournalTold): Promise<Response> {
  const { kind, title, path } = told;
  const cursor = visit.query.get('cursor');
  const page = { limit: perPage + 1, ...(cursor === null ? {} : { cursor }) };
  const found: readonly JournalEntryRecord[] = await visit.worker.call('get_journal', { kind, ...page });
  const entries = found.slice(0, perPage);
  const next = found.length > perPage ? (entries.at(-1)?.id ?? null) : null;
  return showPage(visit, {
    title,
    section: 'journal',
    feeds: [
      { title: `${title}: RSS`, href: `${path}/rss`, type: 'application/rss+xml' },
      { title: `${title}: Atom`, href: `${path}/atom`, type: 'application/atom+xml' },
    ],
    children: <Journal told={told} visitor={visit.visitor} entries={entries} cursor={cursor} next={next} />,
  });
}

export const journalPage: PageRoute = {
  view: 'JournalController:index',
  audience: 'users',
  get: (visit) => showJournal(visit, { kind: 'own', title: 'Journal', path: '/_admin/journal' }),
};

export const publicJournalPage: PageRoute = {
  view: 'JournalController:public_journal',
  audience: 'anybody',
  get: (visit) => showJournal(visit, { kind: 'public', title: 'Public journal', path: '/_admin/public_journal' }),
};
