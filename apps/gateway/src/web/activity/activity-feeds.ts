import type { PageRoute } from '../page-route.ts';
import type { PageName } from '../visitor/page-names.ts';
import type { Visit } from '../visit.ts';
import { sendContent } from '../worker/send-content.ts';

type Kind = 'own' | 'public';
type Format = 'rss' | 'atom';

/** Returns the page that streams activity as an RSS or Atom feed. */
function feedPage(view: PageName, kind: Kind, format: Format): PageRoute {
  return {
    view,
    audience: kind === 'own' ? 'users' : 'anybody',
    async get(visit: Visit) {
      const feed = await visit.worker.open('journal_feed', { kind, format, base_url: visit.baseUrl });
      return sendContent(visit, feed, { 'Content-Type': feed.head.contentType });
    },
  };
}

export const activityRss = feedPage('JournalController:journal_rss', 'own', 'rss');
export const activityAtom = feedPage('JournalController:journal_atom', 'own', 'atom');
export const publicActivityRss = feedPage('JournalController:public_journal_rss', 'public', 'rss');
export const publicActivityAtom = feedPage('JournalController:public_journal_atom', 'public', 'atom');
