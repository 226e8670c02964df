import { expect, it } from 'vitest';
import { SmallAnswers } from './small-answers.ts';

/** An answer that is counted with 500 bytes, under a name of 5 letters. */
const small = { type: null, bytes: Buffer.alloc(90) };
const names = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${1_000 + at}`);

function keep(answers: SmallAnswers, repositoryId: number, count: number, prefix: string): string[] {
  const all = names(count, prefix);
  for (const name of all) answers.set(repositoryId, name, small);
  return all;
}

it.each([
  ['memory', 8_000, 1_000],
  ['answers', 1_000_000, 16],
])('E6 a repository has a quarter of the %s, and loses its own answers first', (_what, bytesMax, max) => {
  const answers = new SmallAnswers(bytesMax, max);
  const others = keep(answers, 1, 3, 'a');
  const [first = '', second = ''] = keep(answers, 2, 4, 'b');
  expect(answers.get(first)).toBe(small);
  const more = keep(answers, 2, 1, 'c');
  expect(answers.get(second)).toBeUndefined();
  for (const name of [...others, first, ...more]) expect(answers.get(name)).toBe(small);
  keep(answers, 2, 100, 'd');
  expect(answers.figures.entries).toBe(7);
  for (const name of others) expect(answers.get(name)).toBe(small);
});

it('counts what has gone no longer, whatever has removed it', () => {
  const answers = new SmallAnswers(8_000, 1_000);
  const [name = ''] = keep(answers, 1, 4, 'a');
  answers.set(1, name, small);
  expect(answers.figures).toEqual({ entries: 4, bytes: 2_000 });
  answers.forgetRepository(1);
  expect(answers.figures).toEqual({ entries: 0, bytes: 0 });
  keep(answers, 1, 4, 'b');
  expect(answers.figures.entries).toBe(4);
  // 16 are kept in all: four each.
  for (const repositoryId of [2, 3, 4, 5]) keep(answers, repositoryId, 4, `${repositoryId}`);
  expect(answers.figures.entries).toBe(16);
  keep(answers, 1, 4, 'c');
  for (const kept of names(4, 'c')) expect(answers.get(kept)).toBe(small);
  answers.clear();
  expect(answers.figures).toEqual({ entries: 0, bytes: 0 });
});

it('keeps one answer of a repository that is larger than its share', () => {
  const answers = new SmallAnswers(1_000, 10);
  keep(answers, 1, 2, 'a');
  expect(answers.figures.entries).toBe(1);
});
