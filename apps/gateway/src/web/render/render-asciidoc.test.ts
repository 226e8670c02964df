import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderAsciidoc } from './render-asciidoc.ts';
import { base, expectSafe } from './testing/expect-safe.ts';

const render = async (text: string) => (await renderAsciidoc(text, base)) ?? '';

const document = `= Guide
Ann <ann@example.com>
:toc:

Begin with <<set-up>> or xref:other.adoc#part[the other], https://a.example[A].

== Set up

NOTE: Mind *this*.

.Listing
[source,js]
----
let a = '<b>';
----

image::logo.png[Logo]

* [x] done

|===
|a |b

|c
|d
|===
`;

describe('renderAsciidoc', () => {
  it('shows title, headings, links, images, notes and code', async () => {
    const html = await render(document);
    expectSafe(html);
    for (const part of [
      '<h1>Guide</h1>',
      '<h2 id="doc-set-up">Set up<a class="anchor" href="#doc-set-up"',
      'href="#doc-set-up"',
      'href="/group/repo/files/tip/docs/other.adoc#doc-part"',
      'href="https://a.example"',
      '<div class="alert alert-note">',
      '<span class="hljs-keyword">let</span>',
      'src="/group/repo/raw/tip/docs/logo.png"',
      '<td class="align-left"><p>c</p></td>',
    ])
      expect(html).toContain(part);
  });

  it('D2 includes no file and reads nothing of the environment', async () => {
    const html = await render(
      'a\n\ninclude::/etc/passwd[]\n\ninclude::https://evil.example/a.adoc[]\n\n{docdir} {user-home} {docfile}\n\n' +
        ':data-uri:\nimage::/etc/passwd[]\n\n[%interactive]\nimage::a.svg[opts=inline]\n\n' +
        '|===\ninclude::/etc/hosts[]\n|===\n\n[source,subs=+macros]\n----\ninclude::/etc/passwd[]\n----\n',
    );
    expectSafe(html);
    expect(html).not.toMatch(/root:|localhost|home\/|\/root/);
    expect(html).toContain('href="/group/repo/files/tip/etc/passwd"');
  });

  it.each([
    '+++<script>alert(1)</script>+++',
    '++++\n<img src=x onerror=alert(1)>\n++++',
    'pass:[<script>alert(1)</script>]',
    'link:javascript:alert(1)[a]',
    'link:++javascript:alert(1)++[a]',
    'link:data:text/html,x[a]',
    'image::javascript:alert(1)[]',
    'image:data:image/svg+xml,x[]',
    'image::https://evil.example/a.png[link=javascript:alert(1)]',
    '[[main]]a [[L10]]b',
    '[#main.error,onclick=alert(1)]\n== A',
    '[role="x\\" onclick=\\"alert(1)"]\na',
    ':a: <script>alert(1)</script>\n\n{a}',
    'NOTE: +++<script>alert(1)</script>+++',
    '[caption="<script>alert(1)</script>"]\n.<b onclick=x>\n====\na\n====',
    'stem:[<script>alert(1)</script>]',
    'video::a.mp4[]\n\naudio::b.mp3[]\n\nvideo::x[youtube]',
    'menu:File[<b onclick=x>] kbd:[<script>] btn:[<script>]',
    ':source-highlighter: highlightjs\n\n[source,"js\\"><script>"]\n----\na\n----',
    '<<javascript:alert(1),a>> footnote:[+++<script>+++]',
    ':backend: docbook5\n\na',
    ':linkcss:\n:docinfo:\n:stylesheet: /etc/passwd\n\na',
  ])('is safe for %j', async (text) => {
    const html = await render(text);
    expectSafe(html);
    expect(html).not.toMatch(/(?:href|src)="[^"]*(?:script|data):/i);
  });

  it('is safe for hostile pieces that are joined at random', async () => {
    const pieces =
      '= == * . : :: | |=== ---- ==== ++++ +++ + ` # _ [[ ]] [ ] << >> < > " \' { } link: image:: pass:[ stem:[ include:: ' +
      'javascript: data: <script> onerror=x NOTE: a b :a: {a} footnote:[ xref: kbd:[ \n \n\n \\ // ....';
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...pieces.split(' '), ' ', '\n', '\n\n'), { maxLength: 30 }),
        async (parts) => expectSafe(await render(parts.join(''))),
      ),
      { numRuns: 300 },
    );
  });
});
