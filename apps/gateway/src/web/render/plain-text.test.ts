import { describe, expect, it } from 'vitest';
import { countLines, splitLines } from './shown-text.ts';
import { numberLines, plainLines, plainSource, shownLinesMax } from './plain-text.ts';

const text = '<b>\r\n\u202E "x"\n'.repeat(6_000);

/** Returns the number of turns that the event loop takes until the work is done. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isDone = true;
  return turns;
}

describe('plainSource', () => {
  it('numbers the same lines as at once', async () => {
    expect(await plainSource(text)).toBe(numberLines(plainLines(text)));
    expect(await plainSource('a\n<')).toBe(
      '<span class="line" id="L1"><a href="?lines=1#L1">1</a>a\n</span>' +
        '<span class="line" id="L2"><a href="?lines=2#L2">2</a>&lt;\n</span>',
    );
    expect(await plainSource('')).toBe('');
  });

  it('E6 lets the event loop have turns between lines', async () => {
    expect(await turnsUntil(plainSource(text))).toBeGreaterThan(20);
    expect(await turnsUntil(Promise.resolve(numberLines(plainLines(text))))).toBeLessThan(3);
  });

  it('has the lines that are shown alone', async () => {
    const html = await plainSource('\n'.repeat(shownLinesMax + 1));
    expect(html).toBe(numberLines(Array.from({ length: shownLinesMax }, () => '')));
    expect(numberLines(Array.from({ length: shownLinesMax + 1 }, () => ''))).toBe(html);
  });
});

describe('countLines', () => {
  it.each(['', '\n', 'a', 'a\n', 'a\nb', 'a\r\nb\r\n', '\n\n', '\r\n'])('counts the lines of %j', (lines) => {
    expect(countLines(lines)).toBe(splitLines(lines).length);
  });
});
