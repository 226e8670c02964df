import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from './render-markdown.ts';
import { base, expectSafe } from './testing/expect-safe.ts';

const render = (text: string) => renderMarkdown(text, base) ?? '';

describe('hostile Markdown', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<!-- --><svg/onload=alert(1)>',
    '<!-->\n<img src=x onerror=alert(1)>-->',
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x]( javascript:alert(1))',
    '[x](<javascript:alert(1)>)',
    '[x](<java\tscript:alert(1)>)',
    '[x](java&#10;script:alert(1))',
    '[x](java&Tab;script:alert(1))',
    '[x](&#1;javascript:alert(1))',
    '[x](&#x6A;avascript&colon;alert(1))',
    '[x](j&#97;v&#97;script:alert(1))',
    '[x](javascript&#58;alert(1))',
    '[x](javas\\cript:alert(1))',
    '[x](%6Aavascript:alert(1))',
    '[x](\u0001javascript:alert(1))',
    '[x](vbscript:msgbox(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](file:///etc/passwd)',
    '[x](blob:https://a/b)',
    '![x](data:image/svg+xml;base64,PHN2Zz4=)',
    '![x](data:image/png;base64,AAAA)',
    '![x](javascript:alert(1))',
    '![x](mailto:a@b)',
    '![x" onerror="alert(1)](y)',
    '![x](y" onerror="alert(1))',
    '![x](y "t\\" onerror=\\"alert(1)")',
    '![[x](javascript:alert(1))](y)',
    '[![x](javascript:alert(1))](javascript:alert(2))',
    '![" onerror="alert(1)](https://a/b.png)',
    '![<img src=x onerror=alert(1)>](https://a/b.png "\\" onclick=\\"alert(1)")',
    '![](https://a/%3Cscript%3Ealert(1)%3C/script%3E)',
    '![](https://a/%22%20onclick=%22alert(1))',
    '![](https://a/%E2%80%AEgnp.exe)',
    '![x](https://a"onerror="alert(1))',
    '![](//evil.example/a.png)',
    '![<https://a>](https://b/c.png)',
    '![[x](https://a)](https://b/c.png)',
    '[![<https://a> [x](https://b)](https://c/d.png)](https://e)',
    '[<https://a> ![x](https://b/c.png) <https://d>](https://e)',
    '[https://a ![https://b](https://c/d.png)](https://e)',
    '<a href="https://a"><img src="https://b/c.png" onerror="alert(1)"></a>',
    '<img src="https://a/b.png"> <IMG SRC=//a/b.png> <picture><source srcset=https://a/b.png></picture>',
    '<p align="center">\n<img src="https://a/b.png">\n</p>',
    '<details open ontoggle=alert(1)><summary>a</summary>\n\n*b*\n\n</details></div></main>',
    'a <b onclick=alert(1)>b <i>c\n\nd</b> <a name=main href=javascript:alert(1)>e</a>',
    '> [!NOTE]<img src=x onerror=alert(1)>\n> a',
    '> [!NOTE] <script>alert(1)</script>\n> a',
    '> [!NOTE]\n> <script>alert(1)</script>',
    '> [!"onclick=alert(1)]\n> a',
    '- [ ] <script>alert(1)</script>\n- [x"onclick=alert(1)] a\n- [x] <img src=x onerror=alert(1)>',
    'a[^1] b[^"onclick="x]\n\n[^1]: <script>alert(1)</script>\n[^"onclick="x]: b',
    ':<script>: :constructor: :__proto__: :rocket"onclick=alert(1):',
    'www.a.example"onclick="alert(1) a"onclick="x@b.example',
    '[a [b](javascript:1) c](https://x)',
    '<javascript:alert(1)>',
    '<data:text/html,x>',
    '<https://a"onmouseover="alert(1)>',
    'https://a"onmouseover="alert(1)',
    'javascript://a/%0aalert(1)',
    '[x]\n\n[x]: javascript:alert(1)',
    '[x]\n\n[x]: <data:text/html,x> "t"',
    '[x][__proto__]\n\n[__proto__]: javascript:alert(1)',
    '```"><script>alert(1)</script>\nx\n```',
    '```js" onclick="alert(1)\nx\n```',
    '~~~ <b>\n<script>\n~~~',
    '`<script>alert(1)</script>`',
    '    <script>alert(1)</script>',
    '# <img src=x onerror=alert(1)>',
    '# location',
    '| a" style="x |\n|:-:|\n| <b> |',
    '[x](//evil.example/a)',
    '[x](\\\\evil.example)',
    '[x](/\\evil.example)',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '\u0000<scr\u0000ipt>',
  ])('is rendered as safe HTML: %j', (text) => {
    const html = render(text);
    expectSafe(html);
    expect(html).not.toMatch(/(?:href|src)="[^"]*(?:script|data):/i);
    expect(html).not.toContain('\u202e');
  });

  it('is rendered as safe HTML when hostile pieces are joined at random', () => {
    const pieces =
      '[ ] ( ) ![ ](https://a/b) <https://c> < > " \' ` ``` # - | |-| &# ; \\ javascript: data:text/html, https://a onerror=x ' +
      '<!-- --> [a]: <a href="" &quot; x <script> <b> </b> <p align= [^1] [^1]: [!NOTE] [x] :+1: www.a.b';
    const piece = fc.constantFrom(...pieces.split(' '), ' ', '\t', '\n', '\n\n', '# ', '- ', '> ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (parts) => expectSafe(render(parts.join('')))),
      { numRuns: 3_000 },
    );
  });
});

describe('links and images of a file', () => {
  it.each([
    ['[x](guide.md)', 'href="/group/repo/files/tip/docs/guide.md"'],
    ['[x](./a/../guide.md#Set%20up)', 'href="/group/repo/files/tip/docs/guide.md#doc-Set%20up"'],
    ['[x](../src/main.c?raw=1#L10)', 'href="/group/repo/files/tip/src/main.c#L10"'],
    ['[x](../../../../other/private)', 'href="/group/repo/files/tip/other/private"'],
    ['[x](%2e%2e/%2E%2E/..%2f../_admin)', 'href="/group/repo/files/tip/_admin"'],
    ['[x](/LICENSE)', 'href="/group/repo/files/tip/LICENSE"'],
    ['[x](100%.txt)', 'href="/group/repo/files/tip/docs/100%25.txt"'],
    ['[x](Größe)', 'href="/group/repo/files/tip/docs/Gr%C3%B6%C3%9Fe"'],
    ['[x](#set-up)', 'href="#doc-set-up"'],
    ['[x](#)', 'href="#"'],
    ['[x](?a=b)', 'href="#"'],
    ['[x](https://a.example/b)', 'href="https://a.example/b"'],
    ['[x](mailto:a@b.example)', 'href="mailto:a@b.example"'],
    ['https://a.example/b', 'href="https://a.example/b"'],
    ['![x](../logo.png)', 'src="/group/repo/raw/tip/logo.png"'],
    ['![x](../../../x/raw/logo.png)', 'src="/group/repo/raw/tip/x/raw/logo.png"'],
    ['[![x](logo.png)](https://a.example)', '><img src="/group/repo/raw/tip/docs/logo.png"'],
  ])('renders %s with %s', (text, attribute) => {
    expect(render(text)).toContain(attribute);
  });

  const link = (address: string, text: string) =>
    `<a href="${address}" rel="nofollow noopener noreferrer"><span class="remote-image">${text}</span></a>`;

  it.each([
    ['![a *b* `c` <d>](https://a.example/e.png)', link('https://a.example/e.png', 'a b c &lt;d&gt;')],
    ['![x][r]\n\n[r]: http://a.example/e.png', link('http://a.example/e.png', 'x')],
    ['![x](//a.example/e.png)', link('//a.example/e.png', 'x')],
    ['![](https://a.example/b%20c.svg?d=/e#/f)', link('https://a.example/b%20c.svg?d=/e#/f', 'b c.svg')],
    ['![ ](https://a.example/)', link('https://a.example/', 'a.example')],
    ['![](https://a.example/%E2%80%AEb)', link('https://a.example/%E2%80%AEb', '\\u{202E}b')],
    ['![x ![y](z.png)](https://a.example/e.png)', link('https://a.example/e.png', 'x y')],
  ])('renders the remote image %s as a link with its text', (text, expected) => {
    const html = render(text);
    expect(html).toContain(expected);
    expect(html).not.toContain('<img');
  });

  it('cuts a long file name of a remote image', () => {
    expect(render(`![](https://a.example/${'b'.repeat(1_000)})`)).toContain(`>${'b'.repeat(100)}…<`);
  });

  it('renders a remote image inside a link as one link with the text of the image', () => {
    expect(render('[![build](https://ci.example/badge.svg "t")](https://ci.example)')).toBe(
      '<p><a href="https://ci.example" rel="nofollow noopener noreferrer"><span class="remote-image">build</span></a></p>\n',
    );
    expect(render('[![](https://ci.example/badge.svg)](guide.md)')).toContain('>badge.svg</span></a>');
    expect(render('[a <https://b> ![c](https://d/e.png)](https://f)')).toBe(
      '<p><a href="https://f" rel="nofollow noopener noreferrer">a https://b <span class="remote-image">c</span></a></p>\n',
    );
  });

  it('shows the HTML that is on the lists, with links and images like those of Markdown', () => {
    expect(render('<p align="center"><img src="logo.png" alt="x"></p>')).toBe(
      '<p class="align-center"><img src="/group/repo/raw/tip/docs/logo.png" alt="x" loading="lazy"></p>',
    );
    expect(render('<details><summary>a</summary>\n\n[b](c.md)\n\n</details>')).toContain(
      '<details><summary>a</summary>\n<p><a href="/group/repo/files/tip/docs/c.md"',
    );
    expect(render('a <kbd>Ctrl</kbd> H<sub>2</sub>O<br>b')).toBe('<p>a <kbd>Ctrl</kbd> H<sub>2</sub>O<br>b</p>\n');
  });

  it('makes links of e-mail addresses and of hosts that begin with www', () => {
    expect(render('see www.a.example/b?c=d. a@b.example')).toBe(
      '<p>see <a href="http://www.a.example/b?c=d" rel="nofollow noopener noreferrer">www.a.example/b?c=d</a>. ' +
        '<a href="mailto:a@b.example" rel="nofollow noopener noreferrer">a@b.example</a></p>\n',
    );
  });

  it('makes no links of file names and of other hosts without a scheme', () => {
    expect(render('README.md main.rs //a.example awww.b.example')).toBe(
      '<p>README.md main.rs //a.example awww.b.example</p>\n',
    );
  });
});

describe('renderMarkdown', () => {
  it('gives each heading a unique id that links can name', () => {
    const html = render('# Set up `x`\n## Set up x\n## set-up-x 1\n# 日本\n#');
    const ids = [...html.matchAll(/id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toEqual(['doc-set-up-x', 'doc-set-up-x-1', 'doc-set-up-x-1-1', 'doc-日本']);
  });

  it('colours code of known languages', () => {
    expect(render('```js\nlet a\n```\n')).toContain(
      '<pre class="code"><code><span class="hljs-keyword">let</span> a</code></pre>',
    );
    expect(render('```none\nlet a\n```\n')).toContain('<pre class="code"><code>let a</code></pre>');
  });

  it('aligns cells of tables by class instead of style', () => {
    expect(render('|a|b|\n|:-|:-:|\n|c|d|')).toContain('<td class="align-center">d</td>');
  });

  it('shows tasks as boxes', () => {
    const html = render('- [ ] a\n- [x] *b*\n- [X] c\n- [y] d\n- [ ]e');
    expect(
      [...html.matchAll(/<li( class="task")?>(.{3})/g)].map(([, task, text]) => [task !== undefined, text]),
    ).toEqual([
      [true, '☐ a'],
      [true, '☑ <'],
      [true, '☑ c'],
      [false, '[y]'],
      [false, '[ ]'],
    ]);
  });

  it.each(['Note', 'Tip', 'Important', 'Warning', 'Caution'])(
    'shows a quote with the mark of %s as an alert',
    (title) => {
      const kind = title.toLowerCase();
      expect(render(`> [!${title.toUpperCase()}]\n> a *b*\n>\n> c`)).toBe(
        `<div class="alert alert-${kind}">\n<p class="alert-title">${title}</p>\n<p>a <em>b</em></p>\n<p>c</p>\n</div>\n`,
      );
    },
  );

  it('shows no paragraph for a mark that is one', () => {
    expect(render('> [!NOTE]\n>\n> a')).toBe(
      '<div class="alert alert-note">\n<p class="alert-title">Note</p>\n\n<p>a</p>\n</div>\n',
    );
  });

  it.each(['> [!OTHER]\n> a', '> [!NOTE] title\n> a', '> a\n> [!NOTE]', '> > [!NOTE]\n> > a'])(
    'leaves %j a quote',
    (text) => {
      expect(render(text)).not.toContain('alert');
      expect(render(text)).toContain('<blockquote>');
    },
  );

  it('shows footnotes below the text, with links to them and back', () => {
    const html = render('a[^x] b[^x] ^[c]\n\n[^x]: note *d*\n[^unused]: e');
    expect(html).toMatch(/<sup><a href="#doc-fn1"[^>]* id="doc-fnref1">\[1\]<\/a><\/sup> b/);
    expect(html).toMatch(/<div class="footnotes">\n<ol>\n<li id="doc-fn1"><p>note <em>d<\/em> <a href="#doc-fnref1"/);
    expect(html).toContain('^[c]');
    expect(html).not.toMatch(/unused|>e</);
  });

  it('shows emojis for their names, which stay in the ids of headings', () => {
    expect(render('# :rocket: Start\n:+1: `:+1:` :nothing: a:nothing:c')).toMatch(
      /^<h1 id="doc-rocket-start">🚀 Start<a .*<\/h1>\n<p>👍 <code>:\+1:<\/code> :nothing: a:nothing:c<\/p>\n$/,
    );
  });

  it.each([
    ['remote images that would become many times their size', `![](https://a/${'"'.repeat(90)})\n`.repeat(5_000)],
    ['references that would become many times their size', `[a]: b '${'&'.repeat(400)}'\n\n${'[a]'.repeat(20_000)}`],
  ])('E10 gives up %s', (_, text) => {
    expect(renderMarkdown(text, base)).toBeNull();
  });

  it('limits the nesting of quotes', () => {
    const html = render('>'.repeat(10_000));
    expect(html.split('<blockquote>').length).toBeLessThan(102);
  });
});
