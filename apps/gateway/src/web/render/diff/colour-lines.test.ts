import { expect, it, vi } from 'vitest';
import type { Renderer } from '../create-renderers.ts';
import { highlightParts } from '../highlight-lines.ts';
import { colourLines } from './colour-lines.ts';
import { createDiffParser } from './parse-diff.ts';

function parse(text: string) {
  const parser = createDiffParser();
  parser.feed(Buffer.from(text));
  return parser.end();
}

const renderer: Pick<Renderer, 'parts'> = { parts: async (parts) => highlightParts(parts) };
const fileOf = (name: string, ...lines: readonly string[]) =>
  `diff --git a/${name} b/${name}\n@@ -1,999 +1,999 @@\n${lines.join('\n')}\n`;

async function colouredTexts(text: string) {
  const diff = parse(text);
  const coloured = await colourLines(renderer, diff);
  return diff.files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines.map((line) => coloured.get(line))));
}

it('colours both sides of a hunk, and what is unchanged', async () => {
  expect(await colouredTexts(fileOf('a.js', ' let a;', '-// x', '+"y"'))).toEqual([
    '<span class="hljs-keyword">let</span> a;',
    '<span class="hljs-comment">// x</span>',
    '<span class="hljs-string">&quot;y&quot;</span>',
  ]);
});

it('a comment that a removed line opens does not colour the lines after the change', async () => {
  const [, , added, last] = await colouredTexts(fileOf('a.js', ' let a;', '-/* x', '+let b;', ' let c;'));
  expect([added, last]).toEqual([
    '<span class="hljs-keyword">let</span> b;',
    '<span class="hljs-keyword">let</span> c;',
  ]);
});

it('shows control characters, of which colours take none away', async () => {
  const [line] = await colouredTexts(fileOf('a.js', '+let a;\r'));
  expect(line).toContain('\u240d');
});

it('lines of files without a known language have no colours', async () => {
  expect(await colouredTexts(fileOf('README', '-let a', '+let b'))).toEqual([undefined, undefined]);
});

it('E6 asks one thread once, for 256 kB at most', async () => {
  const parts = vi.fn<Renderer['parts']>(async () => []);
  const large = (name: string) => fileOf(name, ...Array.from({ length: 190 }, () => `+${'x'.repeat(999)}`));
  await colourLines({ parts }, parse(large('a.js') + large('b.js')));
  expect(parts).toHaveBeenCalledOnce();
  expect(parts.mock.calls[0]?.[0].map(([name]) => name)).toEqual(['a.js']);
  await colourLines({ parts }, parse('diff --git a/x b/x\nold mode 100644\nnew mode 100755\n'));
  expect(parts).toHaveBeenCalledOnce();
});
