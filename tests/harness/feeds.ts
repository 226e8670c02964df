import { parseXml, type XmlElement } from './parse-xml.ts';

export interface FeedEntry {
  /** The id in Atom; in RSS the guid, or the link without a guid. */
  readonly id: string;
  readonly title: string;
  readonly link: string;
  readonly author: string;
  /** The summary in Atom, the description in RSS; HTML in both. */
  readonly summary: string;
  readonly date: Date;
}

export interface Feed {
  readonly kind: 'rss' | 'atom';
  readonly title: string;
  readonly link: string;
  readonly entries: readonly FeedEntry[];
}

const atom = 'http://www.w3.org/2005/Atom';
const rssDate = /^(\w{3}, )?\d{1,2} \w{3} \d{4} \d{2}:\d{2}(:\d{2})? ([+-]\d{4}|GMT|UT)$/;
const atomDate = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function childrenOf(parent: XmlElement, name: string): readonly XmlElement[] {
  return parent.children.filter((child) => child.name === name && child.namespace === parent.namespace);
}

function onlyChild(parent: XmlElement, name: string): XmlElement {
  const [child, second] = childrenOf(parent, name);
  if (child === undefined || second !== undefined) throw new Error(`<${parent.name}> needs one <${name}>`);
  return child;
}

function textOf(parent: XmlElement, name: string): string {
  const { text, children } = onlyChild(parent, name);
  if (children.length > 0) throw new Error(`<${name}> has elements in it`);
  return text;
}

function dateOf(parent: XmlElement, name: string, format: RegExp): Date {
  const text = textOf(parent, name);
  const date = new Date(text);
  if (!format.test(text) || Number.isNaN(date.getTime())) throw new Error(`<${name}> is no date: ${text}`);
  return date;
}

function urlOf(text: string | undefined): string {
  if (text === undefined || !URL.canParse(text)) throw new Error(`no URL: ${text}`);
  return text;
}

function rssEntry(item: XmlElement): FeedEntry {
  const link = urlOf(textOf(item, 'link'));
  return {
    id: childrenOf(item, 'guid').length > 0 ? textOf(item, 'guid') : link,
    title: textOf(item, 'title'),
    link,
    author: textOf(item, 'author'),
    summary: textOf(item, 'description'),
    date: dateOf(item, 'pubDate', rssDate),
  };
}

function rssFeed(root: XmlElement): Feed {
  if (root.attributes.get('version') !== '2.0') throw new Error('no RSS 2.0');
  const channel = onlyChild(root, 'channel');
  textOf(channel, 'description');
  return {
    kind: 'rss',
    title: textOf(channel, 'title'),
    link: urlOf(textOf(channel, 'link')),
    entries: childrenOf(channel, 'item').map(rssEntry),
  };
}

function alternateOf(parent: XmlElement): string {
  const links = childrenOf(parent, 'link').filter(
    ({ attributes }) => (attributes.get('rel') ?? 'alternate') === 'alternate',
  );
  if (links.length !== 1) throw new Error(`<${parent.name}> needs one link to its page`);
  return urlOf(links[0]?.attributes.get('href'));
}

function atomEntry(entry: XmlElement): FeedEntry {
  return {
    id: urlOf(textOf(entry, 'id')),
    title: textOf(entry, 'title'),
    link: alternateOf(entry),
    author: textOf(onlyChild(entry, 'author'), 'name'),
    summary: textOf(entry, 'summary'),
    date: dateOf(entry, 'updated', atomDate),
  };
}

function atomFeed(root: XmlElement): Feed {
  urlOf(textOf(root, 'id'));
  dateOf(root, 'updated', atomDate);
  return {
    kind: 'atom',
    title: textOf(root, 'title'),
    link: alternateOf(root),
    entries: childrenOf(root, 'entry').map(atomEntry),
  };
}

/** Parses an RSS 2.0 or Atom feed; throws when the XML is not well-formed or lacks an element that readers need. */
export function parseFeed(document: string): Feed {
  const root = parseXml(document);
  if (root.name === 'feed' && root.namespace === atom) return atomFeed(root);
  if (root.name === 'rss' && root.namespace === '') return rssFeed(root);
  throw new Error(`no feed: <${root.name}>`);
}
