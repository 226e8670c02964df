import { describe, expect, it } from 'vitest';
import { parseFeed } from './feeds.ts';
import { parseXml } from './parse-xml.ts';

const atom = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Site</title><id>http://127.0.0.1/demo</id><updated>2024-05-06T07:08:09Z</updated>
  <link rel="self" href="http://127.0.0.1/demo/feed/atom"/><link href="http://127.0.0.1/demo"/>
  <entry>
    <title>a &amp; b</title><id>tag:127.0.0.1,2024-05-06:/demo/1</id><updated>2024-05-06T07:08:09Z</updated>
    <link rel="alternate" href="http://127.0.0.1/demo/1"/><author><name>Ann</name></author>
    <summary type="html">&lt;pre&gt;a&lt;/pre&gt;</summary>
  </entry>
</feed>`;

const rss = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
  <title>Site</title><link>http://127.0.0.1/demo</link><description>Changes</description>
  <atom:link rel="self" href="http://127.0.0.1/demo/feed/rss"/>
  <item>
    <title>a &amp; b</title><link>http://127.0.0.1/demo/1</link><description><![CDATA[<pre>a</pre>]]></description>
    <author>Ann</author><pubDate>Mon, 06 May 2024 07:08:09 -0000</pubDate>
  </item>
</channel></rss>`;

const entry = {
  title: 'a & b',
  link: 'http://127.0.0.1/demo/1',
  author: 'Ann',
  summary: '<pre>a</pre>',
  date: new Date('2024-05-06T07:08:09Z'),
};

describe('parseFeed', () => {
  it('returns the same entries for RSS and Atom', () => {
    const feed = { title: 'Site', link: 'http://127.0.0.1/demo' };
    const atomEntry = { ...entry, id: 'tag:127.0.0.1,2024-05-06:/demo/1' };
    expect(parseFeed(atom)).toEqual({ ...feed, kind: 'atom', entries: [atomEntry] });
    expect(parseFeed(rss)).toEqual({ ...feed, kind: 'rss', entries: [{ ...entry, id: entry.link }] });
  });

  it.each([
    ['no author', atom.replace(/<author>.*<\/author>/, ''), '<entry> needs one <author>'],
    ['two titles', atom.replace('<title>Site</title>', '$&$&'), '<feed> needs one <title>'],
    ['a local date', atom.replaceAll('09Z', '09'), '<updated> is no date'],
    ['another namespace', atom.replace('2005/Atom', '2005/atom'), 'no feed: <feed>'],
    ['markup in a title', rss.replace('a &amp; b', '<b>a</b>'), '<title> has elements in it'],
    ['an ISO date in RSS', rss.replace(/<pubDate>.*</, '<pubDate>2024-05-06T07:08:09Z<'), '<pubDate> is no date'],
    ['a relative link', rss.replaceAll('http://127.0.0.1/demo', '/demo'), 'no URL: /demo'],
    ['no version', rss.replace(' version="2.0"', ''), 'no RSS 2.0'],
  ])('throws for a feed with %s', (_, document, reason) => expect(() => parseFeed(document)).toThrow(reason));
});

it.each([
  ['a control character', '<a>\u0001</a>'],
  ['a reference to a control character', '<a>&#27;</a>'],
  ['an entity of HTML', '<a>&nbsp;</a>'],
  ['a bare ampersand', '<a>a & b</a>'],
  ['a doubled attribute', '<a x="1" x="2"/>'],
  ['an angle bracket in an attribute', '<a x="<"/>'],
  ['crossed elements', '<a><b></a></b>'],
  ['an open element', '<a><b></b>'],
  ['a second root', '<a/><b/>'],
  ['text after the root', '<a/>text'],
  ['an unbound prefix', '<a><dc:date/></a>'],
  ['the end of a CDATA section', '<a>]]></a>'],
  ['half a surrogate pair', '<a>\ud800</a>'],
  ['space before its declaration', ' <?xml version="1.0"?><a/>'],
  ['nothing in it', ''],
])('XML with %s is refused', (_, document) => expect(() => parseXml(document)).toThrow(/^\d+:\d+: /));
