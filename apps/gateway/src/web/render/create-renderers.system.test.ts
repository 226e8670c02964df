import { afterAll, describe, expect, it } from 'vitest';
import { numberLines, plainLines } from './plain-text.ts';
import { createRenderers } from './create-renderers.ts';

const renderers = createRenderers();
const renderer = renderers.of('caller');
afterAll(() => renderers.close());

const base = { directory: '', linkBase: '/r/files/tip/', rawBase: '/r/raw/tip/' };

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
    await expect(renderer.markdown({ text: '# *a*', ...base })).resolves.toBe('<h1 id="doc-a"><em>a</em></h1>\n');
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
    expect(await renderer.notebook({ text: notebook, ...base })).toContain('<em>a</em>');
    expect(await renderer.notebook({ text: '{', ...base })).toBeNull();
  });

  it('stops rendering Markdown at the time limit and shows its text', async () => {
    const hasty = createRenderers({ taskMsMax: 100 });
    const text = '[a]: <b>\n\n' + '[a]'.repeat(170_000);
    const html = await hasty.of('caller').markdown({ text, ...base });
    await hasty.close();
    expect(html.slice(0, 41)).toBe('<pre class="plain">[a]: &lt;b&gt;\n\n[a][a]');
  });

  it('shows the text of Markdown that exceeds the memory limit of a thread', async () => {
    // Each block opens all of its open spans again on each of its lines.
    const block = '```js\n' + '`${'.repeat(200) + '\n'.repeat(150) + '```\n';
    const text = block.repeat(350);
    const patient = createRenderers({ taskMsMax: 30_000 });
    const html = await patient.of('caller').markdown({ text, ...base });
    const after = await patient.of('caller').markdown({ text: 'a', ...base });
    await patient.close();
    expect(html.slice(0, 19)).toBe('<pre class="plain">');
    expect(after).toBe('<p>a</p>\n');
  });
});
