import * as fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { encodeFeed, escaped, type Feed, feedFormats, textElement } from './feed.ts';

const item = {
  title: 'Fix <b> & "c"',
  link: 'https://code.example.com/tools/compiler/changeset/0a1b',
  id: 'tag:code.example.com,2026-02-03:/tools/compiler/changeset/0a1b',
  linkIsItsOwn: true,
  author: 'Ann <ann@example.com>',
  date: new Date('2026-02-03T04:05:06.789Z'),
  description: 'Ann &lt;3<br/>',
};
const feed: Feed = {
  title: 'Trunkline tools/compiler feed',
  description: 'Changes on tools/compiler repository',
  link: 'https://code.example.com/tools/compiler',
  items: [item],
};

/** Parses a document strictly; returns the texts of its elements by their path. */
function textsOf(document: string): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  const open: { path: string; text: string }[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name }) => open.push({ path: `${open.at(-1)?.path ?? ''}/${name}`, text: '' }));
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element) element.text += text;
  });
  parser.on('closetag', () => {
    const { path, text } = open.pop() ?? { path: '', text: '' };
    texts.set(path, [...(texts.get(path) ?? []), text]);
  });
  parser.write(document).close();
  return texts;
}

const text = (format: 'rss' | 'atom', of: Feed) =>
  new TextDecoder('utf-8', { fatal: true }).decode(encodeFeed(format, of));

describe('encodeFeed', () => {
  it('writes RSS', () => {
    expect(text('rss', feed)).toBe(`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0">
<channel>
<title>Trunkline tools/compiler feed</title>
<link>https://code.example.com/tools/compiler</link>
<description>Changes on tools/compiler repository</description>
<language>en-us</language>
<lastBuildDate>Tue, 03 Feb 2026 04:05:06 -0000</lastBuildDate>
<ttl>5</ttl>
<item>
<title>Fix &lt;b&gt; &amp; &quot;c&quot;</title>
<link>https://code.example.com/tools/compiler/changeset/0a1b</link>
<description>Ann &amp;lt;3&lt;br/&gt;</description>
<author>Ann &lt;ann@example.com&gt;</author>
<guid isPermaLink="true">https://code.example.com/tools/compiler/changeset/0a1b</guid>
<pubDate>Tue, 03 Feb 2026 04:05:06 -0000</pubDate>
</item>
</channel>
</rss>
`);
  });

  it('writes Atom', () => {
    expect(text('atom', feed)).toBe(`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-us">
<title>Trunkline tools/compiler feed</title>
<subtitle>Changes on tools/compiler repository</subtitle>
<link rel="alternate" href="https://code.example.com/tools/compiler"/>
<id>https://code.example.com/tools/compiler</id>
<updated>2026-02-03T04:05:06Z</updated>
<entry>
<title>Fix &lt;b&gt; &amp; &quot;c&quot;</title>
<link rel="alternate" href="https://code.example.com/tools/compiler/changeset/0a1b"/>
<updated>2026-02-03T04:05:06Z</updated>
<author><name>Ann &lt;ann@example.com&gt;</name></author>
<id>tag:code.example.com,2026-02-03:/tools/compiler/changeset/0a1b</id>
<summary type="html">Ann &amp;lt;3&lt;br/&gt;</summary>
</entry>
</feed>
`);
  });

  it('writes a feed without items', () => {
    const empty = { ...feed, items: [] };
    expect(text('rss', empty)).not.toContain('<item>');
    expect(text('rss', empty)).toContain('<lastBuildDate>Thu, 01 Jan 1970 00:00:00 -0000</lastBuildDate>');
    expect(text('atom', empty)).not.toContain('<entry>');
    expect(text('atom', empty)).toContain('<updated>1970-01-01T00:00:00Z</updated>');
  });

  it('an item that shares its link is identified by its id in RSS', () => {
    const shared = { ...feed, items: [{ ...item, linkIsItsOwn: false }] };
    expect(text('rss', shared)).toContain(`<guid isPermaLink="false">${item.id}</guid>`);
  });

  it('a feed’s date is that of its latest item, whatever the order', () => {
    const older = { ...item, date: new Date('1960-01-01T00:00:00Z') };
    expect(text('atom', { ...feed, items: [older, item] })).toContain('</id>\n<updated>2026-02-03T04:05:06Z');
    expect(text('atom', { ...feed, items: [older] })).toContain('</id>\n<updated>1960-01-01T00:00:00Z');
  });

  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
    fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", ']', '\r', '\n', '\0', '\ud800', '\ufffe', '\x1f') }),
  );
  const items = fc.array(
    fc.record({
      title: anything,
      link: anything,
      id: anything,
      linkIsItsOwn: fc.boolean(),
      author: anything,
      date: fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      description: anything,
    }),
    { maxLength: 3 },
  );
  const anyFeed = fc.record({ title: anything, description: anything, link: anything, items });

  /** Replaces the characters that XML 1.0 excludes, by its definition of `Char`. */
  function legal(characters: string): string {
    const allowed = (point: number) =>
      [0x9, 0xa, 0xd].includes(point) ||
      (point >= 0x20 && point <= 0xd7ff) ||
      (point >= 0xe000 && point <= 0xfffd) ||
      point >= 0x10000;
    return Array.from(characters, (one) => (allowed(one.codePointAt(0) ?? 0) ? one : '\ufffd')).join('');
  }

  it.each(feedFormats)('A7 %s: is well-formed and complete for any text', (format) => {
    fc.assert(
      fc.property(anyFeed, (any) => {
        const [top, one, shown] =
          format === 'rss' ? ['/rss/channel', 'item', 'description'] : ['/feed', 'entry', 'summary'];
        const texts = textsOf(text(format, any));
        expect(texts.get(`${top}/title`)).toEqual([legal(any.title)]);
        if (any.items.length === 0) return;
        expect(texts.get(`${top}/${one}/title`)).toEqual(any.items.map(({ title }) => legal(title)));
        expect(texts.get(`${top}/${one}/${shown}`)).toEqual(any.items.map(({ description }) => legal(description)));
      }),
    );
  });
});

describe('escaped', () => {
  it('A7 replaces characters that XML excludes', () => {
    expect(escaped('a\0b\x1fc\ud800d\udc00e\ufffef\uffffg')).toBe('a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\ufffdg');
    expect(escaped('\t\n\x7f\x85\u{1f600}\u{1fffe}')).toBe('\t\n\x7f\x85\u{1f600}\u{1fffe}');
  });

  it('escapes all markup', () => {
    expect(textElement('x', `<a href="b" id='c'>&amp;\r]]>`)).toBe(
      '<x>&lt;a href=&quot;b&quot; id=&#39;c&#39;&gt;&amp;amp;&#13;]]&gt;</x>',
    );
  });
});
