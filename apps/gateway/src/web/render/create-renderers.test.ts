import { describe, expect, it } from 'vitest';
import { numberLines } from './plain-text.ts';
import { createRenderers, NoThreadError } from './create-renderers.ts';
import type { RenderTask } from './render-task.ts';

const plain = (line: string) => numberLines([line]);

/** Creates renderers on a pool that ends its tasks when told to, and knows which ran for whom. */
function setUp() {
  const ran: string[] = [];
  let answer: (task: RenderTask, caller: string) => Promise<string | undefined> = async ({ text }) =>
    `Text\n${text.trim()}`;
  const pool = {
    run(task: RenderTask, caller: string) {
      ran.push(caller);
      return answer(task, caller);
    },
    close: async () => {},
  };
  const renderers = createRenderers({ pool });
  const highlight = async (caller: string, text: string, fileName = 'a.cpp') =>
    (await renderers.of(caller).source({ text, fileName })).html;
  return { ran, renderers, highlight, answering: (given: typeof answer) => (answer = given) };
}

describe('createRenderers', () => {
  it('E6 renders a file once for eight visitors at once, and not at all for later ones', async () => {
    const { ran, highlight, answering } = setUp();
    let end = (_html: string) => {};
    answering(() => new Promise((resolve) => (end = resolve)));
    const visitors = Array.from({ length: 8 }, (_, index) => highlight(`visitor ${index}`, 'int a;\n'));
    end('C++\n<b>int</b> a;');
    expect(await Promise.all(visitors)).toEqual(visitors.map(() => '<b>int</b> a;'));
    expect(await highlight('visitor 9', 'int a;\n')).toBe('<b>int</b> a;');
    expect(ran).toEqual(['visitor 0']);
  });

  it('tells the language in which a thread has coloured a file', async () => {
    const { renderers, answering } = setUp();
    answering(async () => 'C++\nint a;\nint b;');
    const source = await renderers.of('a').source({ text: 'x', fileName: 'a.cpp' });
    expect(source).toEqual({ html: 'int a;\nint b;', lineCount: 1, language: 'C++' });
  });

  it('has no table and no notebook of a text that a thread can make none of', async () => {
    const { renderers, answering } = setUp();
    answering(async ({ text }) => (text === 'slow' ? undefined : ''));
    const base = { directory: '', linkBase: '/', rawBase: '/' };
    for (const text of ['slow', 'none']) {
      expect(await renderers.of('a').table(text)).toBeNull();
      expect(await renderers.of('a').notebook({ text, ...base })).toBeNull();
    }
  });

  it('renders anew for another text, file name, or base of links', async () => {
    const { ran, renderers, highlight } = setUp();
    const base = {
      format: 'markdown',
      text: '# a',
      directory: '',
      linkBase: '/r/files/tip/',
      rawBase: '/r/raw/tip/',
    } as const;
    await highlight('a', 'one');
    await highlight('b', 'two');
    await highlight('c', 'one', 'a.py');
    await renderers.of('d').document(base);
    await renderers.of('e').document({ ...base, linkBase: '/other/files/tip/' });
    await renderers.of('f').document(base);
    expect(ran).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('E6 has a thread build the lines of a file beyond 256 KB, too, once for all visitors', async () => {
    const { ran, highlight, answering } = setUp();
    const text = 'é\n'.repeat(90_000);
    answering(async () => '\nlines');
    expect([await highlight('a', text), await highlight('b', text)]).toEqual(['lines', 'lines']);
    expect(ran).toEqual(['a']);
  });

  it('E6 has a caller with a share left render what another caller got no thread for', async () => {
    const { ran, highlight, answering } = setUp();
    let refuse = () => {};
    answering((_task, caller) =>
      caller === 'modest'
        ? Promise.resolve('\ncoloured')
        : new Promise((_resolve, reject) => (refuse = () => reject(new NoThreadError('full')))),
    );
    const greedy = highlight('greedy', 'text');
    const modest = highlight('modest', 'text');
    refuse();
    expect([await greedy, await modest]).toEqual([plain('text'), 'coloured']);
    expect(await highlight('greedy', 'text')).toBe('coloured');
    expect(ran).toEqual(['greedy', 'modest']);
  });

  it('does not try a text again at once whose rendering has failed', async () => {
    const { ran, highlight, answering } = setUp();
    answering(async () => undefined);
    expect([await highlight('a', '<'), await highlight('b', '<')]).toEqual([plain('&lt;'), plain('&lt;')]);
    expect(ran).toEqual(['a']);
  });
});
