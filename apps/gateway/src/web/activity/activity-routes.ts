import type { RouteTable } from '../page-route.ts';
import { activityAtom, activityRss, publicActivityAtom, publicActivityRss } from './activity-feeds.ts';
import { activityPage, publicActivityPage } from './activity-pages.tsx';

/**
 * Pages of activity and their feeds, by their present and former paths below /_admin, some named after `get_journal`.
 */
export const activityRoutes: RouteTable = {
  journal: activityPage,
  'journal/rss': activityRss,
  'journal/atom': activityAtom,
  public_journal: publicActivityPage,
  'public_journal/rss': publicActivityRss,
  'public_journal/atom': publicActivityAtom,
  public_journal_rss: publicActivityRss,
  public_journal_atom: publicActivityAtom,
};
