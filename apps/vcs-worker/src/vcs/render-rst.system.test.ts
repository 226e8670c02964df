import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { RenderRst } from './render-rst.ts';
import { neverAborted, openWorkbench, type Workbench } from './testing/workbench.ts';

let bench: Workbench;
let renderRst: RenderRst;
let hasDocutils: boolean;

beforeAll(async () => {
  bench = await openWorkbench();
  ({ renderRst } = await bench.openVcs({}));
  hasDocutils = (await renderRst('a', neverAborted)) !== null;
});
afterAll(() => bench.close());
beforeEach(({ skip }) => {
  if (!hasDocutils) skip('the Python of Mercurial has no docutils');
});

const render = async (text: string) => (await renderRst(text, neverAborted)) ?? '';

it('renders a document with its title, links, images, notes and code', async () => {
  const html = await render(
    'Guide\n=====\n\n`other <a.rst>`_ ``literal`` ü\n\n.. image:: a.png\n\n.. note:: Mind\n\n.. code:: python\n\n   x = "<b>"\n\nPart\n----\n',
  );
  for (const part of [
    '<h1 class="title">Guide</h1>',
    'href="a.rst"',
    '<span class="docutils literal">literal</span> ü',
    'src="a.png"',
    '<aside class="admonition note">',
    '<pre class="code python literal-block"><code>x = &quot;&lt;b&gt;&quot;</code></pre>',
    '<section id="part">',
  ])
    expect(html).toContain(part);
});

it('D2 reads no file and takes no HTML from a document', async () => {
  const html = await render(
    [
      'begin',
      '.. include:: /etc/passwd',
      '.. include:: <isonum.txt>',
      '.. raw:: html\n\n   <script>alert(1)</script>',
      '.. raw:: html\n   :file: /etc/passwd',
      '.. raw:: html\n   :url: file:///etc/passwd',
      '.. csv-table::\n   :file: /etc/passwd',
      '.. csv-table::\n   :url: file:///etc/passwd',
      '.. role:: html(raw)\n   :format: html\n\n:html:`<script>alert(2)</script>`',
      '.. figure:: /etc/passwd\n   :figwidth: image',
      '.. image:: /etc/passwd\n   :scale: 50%\n   :loading: embed',
      '.. math::\n   <script>',
      'end',
    ].join('\n\n'),
  );
  expect(html).toMatch(/begin[^]*end/);
  expect(html).not.toMatch(/<script|root:|:0:0:/);
});

it('shows nothing of the faults of a document', async () => {
  const html = await render('Title\n==\n\n:func:`x` |none| `none`_ [#none]_\n\n.. nothing:: x\n\n* a\nb\n');
  expect(html).toContain('Title');
  expect(html).not.toMatch(/system-message|ERROR|WARNING/);
});

it.each([
  [
    'substitutions that double',
    Array.from({ length: 40 }, (_, n) => `.. |a${n}| replace:: |a${n + 1}| |a${n + 1}|`).join('\n') + '\n\n|a0|',
  ],
  ['deep nesting', Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}* a\n`).join('\n')],
  ['many brackets', '['.repeat(9_000).concat('\n').repeat(50)],
  ['many marks', '*a `b |c '.repeat(1_000).concat('\n').repeat(50)],
  ['a long line', 'a'.repeat(500_000)],
] as const)('E10 ends with %s in time', async (_, text) => {
  const html = await renderRst(text, neverAborted);
  expect(html === null || html.length < 4 * 1024 * 1024).toBe(true);
  expect(await render('*a*')).toContain('<em>a</em>');
});

it('D12 ends when its client goes away', async () => {
  const client = new AbortController();
  const rendered = renderRst('a', client.signal);
  client.abort();
  await expect(rendered).rejects.toMatchObject({ kind: 'cancelled' });
});

it('renders nothing where it does not start', async () => {
  const { renderRst: broken } = await bench.openVcs({ hgCommand: ['/bin/false'] });
  expect(await broken('a', neverAborted)).toBeNull();
});
