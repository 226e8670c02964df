import type { Feed, FeedFormat } from './feed.ts';
import { writeAtom } from './write-atom.ts';
import { writeRss } from './write-rss.ts';

const writers: Readonly<Record<FeedFormat, (feed: Feed) => string>> = { rss: writeRss, atom: writeAtom };

/** Encodes a feed as a document in UTF-8. */
export function encodeFeed(format: FeedFormat, feed: Feed): Uint8Array {
  return Buffer.from(writers[format](feed));
}

export const feedTypes: Readonly<Record<FeedFormat, string>> = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
};
