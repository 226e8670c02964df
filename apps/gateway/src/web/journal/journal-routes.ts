import type { RouteTable } from '../admin-routes.ts';
import { journalAtom, journalRss, publicJournalAtom, publicJournalRss } from './journal-feeds.ts';
import { journalPage, publicJournalPage } from './journal-pages.tsx';

/** Journals, and their feeds at the addresses of now and of old. */
export const journalRoutes: RouteTable = {
  journal: journalPage,
  'journal/rss': journalRss,
  'journal/atom': journalAtom,
  public_journal: publicJournalPage,
  'public_journal/rss': publicJournalRss,
  'public_journal/atom': publicJournalAtom,
  public_journal_rss: publicJournalRss,
  public_journal_atom: publicJournalAtom,
};
