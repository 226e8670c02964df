import type { PageName } from '../../visitor/page-names.ts';
import { sendContent } from '../../worker/send-content.ts';
import type { RepositoryPage } from '../repository-page.ts';
import { showNothingHere } from '../show-nothing.ts';

/** Returns the page that streams an RSS or Atom feed of a repository's newest changesets. */
function feedPage(view: PageName, format: 'rss' | 'atom'): RepositoryPage {
  return {
    view,
    async get(visit, { repoid, rest }) {
      if (rest.length > 0) return showNothingHere();
      const feed = await visit.worker.open('repository_feed', { repoid, format, base_url: visit.baseUrl });
      return sendContent(visit, feed, { 'Content-Type': feed.head.contentType });
    },
  };
}

export const rssPage = feedPage('FeedController:rss', 'rss');
export const atomPage = feedPage('FeedController:atom', 'atom');
