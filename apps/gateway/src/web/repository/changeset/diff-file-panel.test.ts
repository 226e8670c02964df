import fc from 'fast-check';
import { expect, it } from 'vitest';
import { highlightParts } from '../../render/highlight-lines.ts';
import { createDiffParser } from '../../render/diff/parse-diff.ts';
import { renderPanels } from './diff-file-panel.tsx';
import { diffUrls } from './diff-urls.tsx';

const pageBytesMax = 8 * 1_024 * 1_024;

async function render(diff: string, split = false): Promise<string[]> {
  const parser = createDiffParser();
  parser.feed(Buffer.from(diff, 'latin1'));
  const urls = diffUrls('group/repository', 'a'.repeat(40), { ignorews: false, split });
  const panels = await renderPanels({
    ...{ repository: 'group/repository', changesetId: 'a'.repeat(40), parentId: 'b'.repeat(40), urls },
    diff: parser.end(),
    renderer: { parts: async (parts) => highlightParts(parts) },
  });
  return panels.map(String);
}

const fileOf = (name: string, lines: readonly string[], from = name) =>
  [
    ...[`diff --git a/${from} b/${name}`, `rename from ${from}`, `rename to ${name}`],
    ...[`@@ -1,${lines.length} +1,${lines.length} @@ <script>`, ...lines, ''],
  ].join('\n');

it.each([
  [
    'many lines of markup',
    () =>
      fileOf(
        'a.html',
        Array.from({ length: 900 }, () => `+${'"'.repeat(200)}`),
      ).repeat(9),
  ],
  [
    'names of many bytes',
    () => Array.from({ length: 300 }, (_, at) => fileOf(`${at}${'\xff'.repeat(4_000)}`, ['+a'])).join(''),
  ],
  [
    'control characters',
    () =>
      fileOf(
        'x',
        Array.from({ length: 500 }, () => `-${'\x9b'.repeat(300)}`),
      ).repeat(20),
  ],
  [
    'colours of single letters',
    () =>
      fileOf(
        'a.js',
        Array.from({ length: 900 }, () => `+${'1+'.repeat(100)}`),
      ).repeat(9),
  ],
  [
    'empty lines',
    () =>
      fileOf(
        'x',
        Array.from({ length: 999 }, () => '+'),
      ).repeat(20),
  ],
])('D9 stays below the limit of a page with %s', async (_, make) => {
  for (const split of [false, true]) {
    const html = (await render(make(), split)).join('');
    expect(Buffer.byteLength(html)).toBeLessThan(pageBytesMax - 2_000_000);
    expect(html).not.toContain('<script>');
  }
});

it('a single line of 5 MB is cut, and the file after it shown', async () => {
  const panels = await render(fileOf('a', [`+${'<'.repeat(5_000_000)}`]) + fileOf('b', ['+after']));
  expect(panels).toHaveLength(2);
  expect(panels[0]).toContain('cut off');
  expect(panels[1]).toContain('<td class="line">after</td>');
  expect(panels.join('').length).toBeLessThan(20_000);
});

const part = fc.constantFrom(
  ...[
    '"',
    '<b>',
    "' onload='x",
    '#file-1',
    'file-1-L1',
    '..',
    '/',
    '\xff',
    '\t',
    ' ',
    '&lt;',
    '\\',
    '\x1b[31m',
    'a.js',
    '%2F',
  ],
);
const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
const line = fc.tuple(fc.constantFrom('+', '-', ' ', '\\ ', '@@ ', ''), text).map((parts) => parts.join(''));

it('of hostile names and lines shows all as text, with ids that differ', async () => {
  const file = fc.tuple(text, fc.array(line, { maxLength: 8 }), text).map((given) => fileOf(...given));
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 4 }), fc.boolean(), async (files, split) => {
      const html = (await render(files.join(''), split)).join('');
      expect(html).not.toMatch(/<b>|<script|<[^>]*\sonload=/);
      const attributes = [...html.matchAll(/<\w+((?:\s[\w-]+="[^"<>]*")*)\s*\/?>/g)].length;
      expect(attributes).toBe([...html.matchAll(/<\w/g)].length);
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
      expect(ids.every((id) => /^(?:file-\d+(-name|-[LR]\d+)?|change-[0-9a-f]{12})$/.test(id))).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [, href = ''] of html.matchAll(/ (?:href|src)="([^"]*)"/g))
        expect(href).toMatch(/^(?:\/(?!\/)|#file-)/);
    }),
    { numRuns: 60 },
  );
});
