import { Content } from '@trunkline/contracts';
import { toActivityFeed } from '../../domain/activity/activity-feed.ts';
import { readActivity } from '../../domain/activity/read-activity.ts';
import { encodeFeed, feedTypes } from '../../domain/feed/feed.ts';
import type { MethodHandler } from '../context.ts';

const entriesShown = 20;

export const journalFeed: MethodHandler<'journal_feed'> = async ({ kind, format, base_url: baseUrl }, context) => {
  const { db, access, feedSettings } = context;
  const entries = await readActivity(db, kind, { user: access.user, limit: entriesShown, cursor: null });
  const feed = toActivityFeed(kind, entries, { siteName: feedSettings.siteName, baseUrl });
  return new Content({ contentType: feedTypes[format] }, encodeFeed(format, feed));
};
