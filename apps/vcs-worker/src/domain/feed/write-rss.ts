import { updatedOf, type Feed, type FeedItem } from './feed.ts';
import { escaped, textElement } from './markup.ts';

const minutesToLive = 5;

/** Formats a date by RFC 2822, in UTC. */
function mailDate(date: Date): string {
  return date.toUTCString().replace(/GMT$/, '-0000');
}

function writeItem({ title, link, id, linkIsItsOwn, author, date, description }: FeedItem): string[] {
  return [
    '<item>',
    textElement('title', title),
    textElement('link', link),
    textElement('description', description),
    textElement('author', author),
    `<guid isPermaLink="${linkIsItsOwn}">${escaped(linkIsItsOwn ? link : id)}</guid>`,
    textElement('pubDate', mailDate(date)),
    '</item>',
  ];
}

/** Writes a feed as RSS 2.0. */
export function writeRss(feed: Feed): string {
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0">',
    '<channel>',
    textElement('title', feed.title),
    textElement('link', feed.link),
    textElement('description', feed.description),
    '<language>en-us</language>',
    textElement('lastBuildDate', mailDate(updatedOf(feed))),
    `<ttl>${minutesToLive}</ttl>`,
    ...feed.items.flatMap(writeItem),
    '</channel>',
    '</rss>',
  ];
  return `${lines.join('\n')}\n`;
}
