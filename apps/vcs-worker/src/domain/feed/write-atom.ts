import { updatedOf, type Feed, type FeedItem } from './feed.ts';
import { escaped, textElement } from './markup.ts';

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
export function writeAtom(feed: Feed): string {
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
