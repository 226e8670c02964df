import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Method } from './method.ts';
import { served } from './views/index.ts';

/** Lists that are answered whole without a limit, and what bounds them (ADR 53). */
const whole: Readonly<Record<string, string>> = {
  get_repos: 'sent in pages of 500 rows',
  get_users: 'sent in pages of 500 rows',
  get_user_groups: 'sent in pages of 500 rows',
  get_repo_groups: 'sent in pages of 500 rows',
  get_locks: 'sent in pages of 500 rows',
  get_repo_nodes: 'the size of a result',
  get_storages: 'administrators add them one by one',
  refs_of: 'the changesets that the call names',
  view_file_sizes: 'the paths that the call names',
};

const isList = ({ result }: Method) => v.is(v.object({ type: v.literal('array') }), result);
const lists = Object.values<Method>(served).filter((method) => isList(method) || method.name === 'get_repo_refs');

describe('a list', () => {
  it.each(lists.filter(({ name }) => !(name in whole)))(
    '$name has a limit by default, a greatest one, and a cursor',
    ({ args }) => {
      const { limit, cursor } = args;
      expect(limit?.fallback).toBeTypeOf('number');
      expect(v.is(limit?.schema ?? v.never(), limit?.fallback)).toBe(true);
      expect(v.is(limit?.schema ?? v.never(), 10_001)).toBe(false);
      expect(cursor?.fallback).toBeNull();
    },
  );

  it('is answered whole only where something else bounds it', () => {
    const names = lists.map(({ name }) => name);
    expect(Object.keys(whole).filter((name) => !names.includes(name))).toEqual([]);
  });
});
