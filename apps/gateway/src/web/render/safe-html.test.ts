import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeHtml } from './safe-html.ts';
import { base, expectSafe } from './testing/expect-safe.ts';

const safe = (html: string) => safeHtml(html, base) ?? '';

describe('safeHtml', () => {
  it.each([
    ['<script>alert(1)</script>a', 'a'],
    ['<SCRIPT SRC=//evil.example></SCRIPT>a', 'a'],
    ['<style>*{display:none}</style>a', 'a'],
    ['<svg><script>alert(1)</script><a href="javascript:alert(1)"></svg>a', 'a'],
    ['<iframe srcdoc="<script>alert(1)</script>">b</iframe>a', 'a'],
    ['<form action="//evil.example"><input name=a><button formaction="javascript:alert(1)">b</button></form>', 'b'],
    ['<b onclick="alert(1)" style="position:fixed" class="badge visually-hidden" data-x="1">a</b>', '<b>a</b>'],
    ['<b/onclick=alert(1)//a>a</b>', '<b>a</b>'],
    ['<font color="red">a</font><object data=x>b</object>', 'ab'],
    ['cp <file> <b>x</b> </file onclick=y>', 'cp &lt;file&gt; <b>x</b> &lt;/file&gt;'],
    ['<svg><file></svg><o:p x="<b>">', '&lt;o:p x=&quot;&lt;b&gt;&quot;&gt;'],
    ['<!-- a --><?php a ?><!doctype html><![CDATA[a]]>b', 'b'],
    ['</div></div></main>a', 'a'],
    // Browsers end an item, and what is open in it, where another one begins: later ends would end what is around.
    ['<ul><li><div><li>a</li></div></li></ul>', '<ul><li><div>a</div></li></ul>'],
    ['<dl><dd><p><b><dt>a</dt></b></p></dd></dl>', '<dl><dd><p><b>a</b></p></dd></dl>'],
    ['<ul><li><ul><li>a</li></ul></li><li>b</li></ul>', '<ul><li><ul><li>a</li></ul></li><li>b</li></ul>'],
    ['<b><i>a</b>b', '<b><i>a</i></b>b'],
    [
      '<base href="//evil.example"><meta http-equiv=refresh content="0;url=//evil.example"><link rel=stylesheet href=x>',
      '',
    ],
    ['a < b &amp;&lt;b&gt; &#60;i&#62;', 'a &lt; b &amp;&lt;b&gt; &lt;i&gt;'],
    ['a\u202eb\u0001', 'a\\u{202E}b\u2401'],
  ])('writes of %j what is on the lists', (html, expected) => {
    expect(safe(html)).toBe(expected);
    expectSafe(safe(html));
  });

  it.each([
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    ' &#1;javascript:alert(1)',
    'java&#10;script:alert(1)',
    'java&Tab;script:alert(1)',
    '&#106;avascript&colon;alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://a/b',
    'file:///etc/passwd',
  ])('leads from a link or an image to %j nowhere', (address) => {
    const html = safe(
      `<a href="${address}">a</a><img src="${address}" alt="b"><picture><source srcset="${address}"></picture>`,
    );
    expectSafe(html);
    expect(html).not.toMatch(/="[^"]*(?:script|data|blob|file):/i);
  });

  it('resolves links and images at the revision, and makes remote images links', () => {
    expect(safe('<a href="../a.md#b">a</a>')).toContain('href="/group/repo/files/tip/a.md#doc-b"');
    expect(safe('<img src="a.png" alt="b" width="50%" height="1e9" onerror="x">')).toBe(
      '<img src="/group/repo/raw/tip/docs/a.png" alt="b" width="50%" loading="lazy">',
    );
    expect(safe('<a href="b"><img src="//a.example/c.svg"></a>')).toBe(
      '<a href="/group/repo/files/tip/docs/b" rel="nofollow noopener noreferrer"><span class="remote-image">c.svg</span></a>',
    );
    expect(safe('<picture><source srcset="dark.png"><img src="light.png"></picture>')).toMatch(
      /^<img src="[^"]*light.png"/,
    );
  });

  it('gives ids a prefix, so that they shadow none of ours, and each of them once', () => {
    const html = safe('<p id="main">a</p><p id="L10">b</p><p id="main">c</p><a name="d"></a><a href="#main">e</a>');
    expect([...html.matchAll(/id="([^"]*)"/g)].map(([, id]) => id)).toEqual(['doc-main', 'doc-L10', 'doc-d']);
    expect(html).toContain('href="#doc-main"');
  });

  it('links headings by their id, or that of their section', () => {
    const link = (id: string) => `<a class="anchor" href="#doc-${id}" aria-label="Link to this heading"></a>`;
    expect(safe('<h2 id="a">A</h2>')).toBe(`<h2 id="doc-a">A${link('a')}</h2>`);
    expect(safe('<section id="b"><h2>B</h2><p>b</p><h3>C</h3></section>')).toBe(
      `<div id="doc-b"><h2>B${link('b')}</h2><p>b</p><h3>C</h3></div>`,
    );
  });

  it('writes alignment and the kinds of alerts as classes of ours', () => {
    expect(safe('<td style="text-align:center">a</td><p align="RIGHT">b</p><center>c</center>')).toBe(
      '<td class="align-center">a</td><p class="align-right">b</p><div class="align-center">c</div>',
    );
    expect(safe('<aside class="admonition warning"><p class="admonition-title">W</p></aside>')).toBe(
      '<div class="alert alert-warning"><p class="alert-title">W</p></div>',
    );
  });

  it('colours code blocks by the language that they name', () => {
    const coloured = '<pre class="code"><code><span class="hljs-keyword">let</span> a &lt; b</code></pre>';
    expect(safe('<pre><code class="language-js">let <b>a</b> &lt; b\n</code></pre>')).toBe(coloured);
    expect(safe('<pre class="code javascript literal-block"><code>let a &lt; b</code></pre>')).toBe(coloured);
    expect(safe('<pre><b>let</b> a</pre>')).toBe('<pre class="code"><b>let</b> a</pre>');
  });

  it('E10 ends with deep nesting, many attributes, and text that would become too large', () => {
    expectSafe(safe('<div><b>'.repeat(10_000)));
    expect(safe('<b>'.repeat(10_000)).split('<b>')).toHaveLength(101);
    expectSafe(safe(`<b ${'a=b '.repeat(100_000)}>`));
    expectSafe(safe('<'.repeat(100_000)));
    expectSafe(safe('<a href="'.repeat(50_000)));
    expect(safeHtml('"'.repeat(900_000), base)).toBeNull();
  });

  it('is safe for hostile pieces that are joined at random', () => {
    const pieces =
      '< > " \' & &# ; / = - ! a b x <a <a> </a> <b> </b> <p> </p> <div> </div> <img <script> </script> <svg> </svg> <style> ' +
      '<table> <tr> <td> </td> </table> <li> <pre> </pre> <code> </code> <h1 </h1> <!-- --> <![CDATA[ ]]> <textarea> <title> ' +
      'id="x" class="alert" name= href= src= href="javascript:a" href="b" src="data:a" onerror=x style= \n';
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces.split(' '), ' '), { maxLength: 40 }), (parts) =>
        expectSafe(safe(parts.join(''))),
      ),
      { numRuns: 3_000 },
    );
  });
});
