import { Content } from '@trunkline/contracts';
import { toJournalFeed } from '../../activity/journal-feed.ts';
import { readJournal } from '../../activity/read-journal.ts';
import { encodeFeed, feedTypes } from '../../feed/encode-feed.ts';
import type { MethodHandler } from '../context.ts';

const entriesShown = 20;

export const journalFeed: MethodHandler<'journal_feed'> = async ({ kind, format, base_url: baseUrl }, context) => {
  const { db, access, feeds } = context;
  const entries = await readJournal(db, kind, { user: access.user, limit: entriesShown, cursor: null });
  const feed = toJournalFeed(kind, entries, { siteName: feeds.settings.siteName, baseUrl });
  return new Content({ contentType: feedTypes[format] }, encodeFeed(format, feed));
};
