import { afterAll, describe, expect, it } from 'vitest';
import { numberLines, plainLines } from './plain-text.ts';
import { createRenderers } from './create-renderers.ts';

const renderers = createRenderers();
const renderer = renderers.of('caller');
afterAll(() => renderers.close());

const [directory, linkBase, rawBase] = ['', '/r/files/tip/', '/r/raw/tip/'];
const markdown = { format: 'markdown', directory, linkBase, rawBase } as const;

/** Returns the number of turns that the event loop took during the work. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  await work;
  clearInterval(timer);
  return turns;
}

describe('createRenderers', () => {
  it('highlights and renders on its threads', async () => {
    await expect(renderer.source({ text: 'let a;\n\nlet b;\n', fileName: 'a.ts' })).resolves.toEqual({
      html: numberLines(['<span class="hljs-keyword">let</span> a;', '', '<span class="hljs-keyword">let</span> b;']),
      lineCount: 3,
      language: 'TypeScript',
    });
    const blank = { html: numberLines(['']), lineCount: 1, language: 'TypeScript' };
    await expect(renderer.source({ text: '\n', fileName: 'a.ts' })).resolves.toEqual(blank);
    await expect(renderer.source({ text: '', fileName: 'a.ts' })).resolves.toEqual({
      html: '',
      lineCount: 0,
      language: 'TypeScript',
    });
    await expect(renderer.document({ ...markdown, text: '*a*' })).resolves.toBe('<p><em>a</em></p>\n');
    const asciidoc = { ...markdown, format: 'asciidoc' } as const;
    await expect(renderer.document({ ...asciidoc, text: '_a_' })).resolves.toContain('<p><em>a</em></p>');
    const html = { ...markdown, format: 'html' } as const;
    await expect(renderer.document({ ...html, text: '<em onclick=x>a</em>' })).resolves.toBe('<em>a</em>');
  });

  // Each of these texts would take tens of seconds to highlight.
  it.each([
    ['a.java', '$'],
    ['a.pgsql', '$'],
    ['a.ini', '0'],
  ])('stops highlighting %s with many %s at the time limit and shows it plain', async (fileName, character) => {
    const text = `${character.repeat(4_900)}\n`.repeat(50);
    const highlighted = renderer.source({ text, fileName });
    // Highlighting on the main thread would leave it no turn.
    expect(await turnsDuring(highlighted)).toBeGreaterThan(0);
    expect((await highlighted).html).toBe(numberLines(plainLines(text)));
    await expect(renderer.source({ text: 'true', fileName: 'a.ts' })).resolves.toEqual({
      html: numberLines(['<span class="hljs-literal">true</span>']),
      lineCount: 1,
      language: 'TypeScript',
    });
  });

  it('renders tables and notebooks on its threads, and of other texts none', async () => {
    expect(await renderer.table('a,b\n1,2\n')).toContain('<td>2</td>');
    expect(await renderer.table('')).toBeNull();
    const notebook = JSON.stringify({ cells: [{ cell_type: 'markdown', source: '*a*' }] });
    expect(await renderer.notebook({ text: notebook, directory, linkBase, rawBase })).toContain('<em>a</em>');
    expect(await renderer.notebook({ text: '{', directory, linkBase, rawBase })).toBeNull();
  });

  it('stops rendering Markdown at the time limit', async () => {
    const hasty = createRenderers({ taskMsMax: 100 });
    const text = '[a]: <b>\n\n' + '[a]'.repeat(170_000);
    const html = await hasty.of('caller').document({ ...markdown, text });
    await hasty.close();
    expect(html).toBeNull();
  });

  it('gives up Markdown that exceeds the memory limit of a thread', async () => {
    // Each block opens all of its open spans again on each of its lines.
    const block = '```js\n' + '`${'.repeat(200) + '\n'.repeat(150) + '```\n';
    const text = block.repeat(350);
    const patient = createRenderers({ taskMsMax: 30_000 });
    const html = await patient.of('caller').document({ ...markdown, text });
    const after = await patient.of('caller').document({ ...markdown, text: 'a' });
    await patient.close();
    expect(html).toBeNull();
    expect(after).toBe('<p>a</p>\n');
  });

  it.each([
    ['markdown', 'brackets', '['.repeat(500_000)],
    ['markdown', 'marks', '*a _b '.repeat(80_000)],
    ['markdown', 'deep quotes', `${'> '.repeat(2_000)}a\n`.repeat(100)],
    ['markdown', 'deep elements', '<b>'.repeat(170_000)],
    ['markdown', 'references to a footnote', '[^a]'.repeat(100_000) + '\n\n[^a]: b'],
    ['markdown', 'names of emojis', ':a'.repeat(250_000)],
    ['markdown', 'addresses', 'www.a@'.repeat(80_000)],
    ['asciidoc', 'brackets', '['.repeat(500_000)],
    ['asciidoc', 'attributes', '{a}'.repeat(100_000)],
    ['asciidoc', 'marks', '*a _b `c '.repeat(50_000)],
    ['asciidoc', 'deep lists', Array.from({ length: 400 }, (_, depth) => `${'*'.repeat(depth + 1)} a\n`).join('')],
    ['html', 'deep elements', '<div>'.repeat(800_000)],
    ['html', 'links', '</b><a>'.repeat(500_000)],
  ] as const)('E10 ends %s of many %s in time, and renders the next document', async (format, _, text) => {
    const html = await renderer.document({ ...markdown, format, text });
    expect(html === null || html.length > 0).toBe(true);
    await expect(renderer.document({ ...markdown, text: `*${text.slice(0, 3)}*` })).resolves.toMatch(/^</);
  });
});
