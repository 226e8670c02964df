/** A feed, independent of its format. Texts are plain text with any characters. */
export interface Feed {
  readonly title: string;
  readonly description: string;
  readonly link: string;
  /** Items, the newest first. */
  readonly items: readonly FeedItem[];
}

export interface FeedItem {
  readonly title: string;
  readonly link: string;
  /** Identifier, a `tag:` URI. */
  readonly id: string;
  /** Whether no other item has the same link. */
  readonly linkIsItsOwn: boolean;
  readonly author: string;
  readonly date: Date;
  /** Description in HTML. */
  readonly description: string;
}

export const feedFormats = ['rss', 'atom'] as const;
export type FeedFormat = (typeof feedFormats)[number];

/** Returns the date of a feed's newest item; 1970-01-01 for a feed without items. */
function updatedOf({ items }: Feed): Date {
  return items.length === 0 ? new Date(0) : new Date(Math.max(...items.map(({ date }) => date.getTime())));
}

// Every character outside of XML 1.0's `Char`, which no character reference makes legal.
// oxlint-disable-next-line no-control-regex
const illegal = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // A parser would read a bare carriage return as a line feed.
  '\r': '&#13;',
};

/** Escapes text for content and quoted attributes of XML and HTML; replaces characters that XML excludes. */
export function escaped(text: string): string {
  return text.replace(illegal, '\ufffd').replace(/[&<>"'\r]/g, (character) => references[character] ?? character);
}

/** Returns an XML element that holds text alone. */
export function textElement(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}

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
function writeRss(feed: Feed): string {
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

function moment(date: Date): string {
  return `${date.toISOString().slice(0, -5)}Z`;
}

function alternate(link: string): string {
  return `<link rel="alternate" href="${escaped(link)}"/>`;
}

function writeEntry({ title, link, id, author, date, description }: FeedItem): string[] {
  return [
    '<entry>',
    textElement('title', title),
    alternate(link),
    textElement('updated', moment(date)),
    `<author>${textElement('name', author)}</author>`,
    textElement('id', id),
    `<summary type="html">${escaped(description)}</summary>`,
    '</entry>',
  ];
}

/** Writes a feed as Atom 1.0. */
function writeAtom(feed: Feed): string {
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-us">',
    textElement('title', feed.title),
    textElement('subtitle', feed.description),
    alternate(feed.link),
    textElement('id', feed.link),
    textElement('updated', moment(updatedOf(feed))),
    ...feed.items.flatMap(writeEntry),
    '</feed>',
  ];
  return `${lines.join('\n')}\n`;
}

const writers: Readonly<Record<FeedFormat, (feed: Feed) => string>> = { rss: writeRss, atom: writeAtom };

/** Encodes a feed as a document in UTF-8. */
export function encodeFeed(format: FeedFormat, feed: Feed): Uint8Array {
  return Buffer.from(writers[format](feed));
}

export const feedTypes: Readonly<Record<FeedFormat, string>> = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
};
