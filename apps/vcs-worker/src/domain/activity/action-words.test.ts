import { describe, expect, it } from 'vitest';
import { actionWords, shownMethods } from './action-words.ts';

describe('actionWords', () => {
  it('has words for every method that is shown as activity', () => {
    expect(shownMethods.map((method) => actionWords(method, {}))).toEqual([
      'created',
      'forked',
      'deleted',
      'restored',
      'pulled from remote into',
      'pushed into',
      'pulled from',
      'started following',
      'stopped following',
      'updated',
    ]);
  });

  it.each([
    [{ repoid: 'a/b', name: 'c' }, 'renamed'],
    [{ repoid: 'a/b', name: 'b' }, 'updated'],
    [{ repoid: 'a/b', name: '' }, 'updated'],
    [{ repoid: 'a/b', description: 'c' }, 'updated'],
    [{ repoid: 7, name: 'c' }, 'updated'],
    [{ repoid: '7', name: 'c' }, 'updated'],
  ])('update_repo with %j %s it', (args, words) => {
    expect(actionWords('update_repo', args)).toBe(words);
  });
});
