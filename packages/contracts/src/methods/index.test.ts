import { describe, expect, it } from 'vitest';
import { requiredMark } from '../args/arg.ts';
import { laneNames } from '../lanes.ts';
import type { Method } from '../method.ts';
import { findMethod, methods } from './index.ts';

const entries: readonly (readonly [string, Method])[] = Object.entries(methods);
const all = entries.map(([, method]) => method);
const allArgs = all.flatMap((method) =>
  Object.entries(method.args).map(([name, arg]) => ({ method: method.name, name, arg })),
);

describe('the table of methods', () => {
  it.each(entries)('files %s under its own name', (key, method) => {
    expect(method.name).toBe(key);
  });

  it('gives no two methods one name, earlier names included', () => {
    const names = all.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(all)('E1 gives $name a name that is one word of a subject', ({ name, aliases }) => {
    for (const one of [name, ...aliases]) expect(one).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  it.each(all)('says what $name does, in a lane that exists', ({ summary, lane }) => {
    expect(summary).toMatch(/^[A-Z].*\.$/);
    expect(laneNames).toContain(lane);
  });

  it.each(all.filter(({ permission }) => permission.repository !== undefined))(
    'lets $name, which needs a right on a repository, name it',
    ({ args }) => {
      expect(args['repoid']?.fallback).toBe(requiredMark);
    },
  );

  it.each(allArgs)('explains the argument $name of $method', ({ arg }) => {
    expect(arg.summary).not.toBe('');
    expect(arg.shownDefault === '').toBe(arg.fallback === requiredMark);
  });

  it('has the names by which older clients send an argument for no other one', () => {
    for (const { args } of all) {
      const names = Object.entries(args).flatMap(([name, { alsoNamed }]) => [name, ...alsoNamed]);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  it.each([
    [{ clone_uri: 'https://h/r' }, 'transfer'],
    [{ clone_uri: '' }, 'storage'],
    [{ clone_uri: null }, 'storage'],
    [{}, 'storage'],
  ])('runs create_repo with %j in the lane %s', (args, lane) => {
    expect(methods.create_repo.laneOf?.(args)).toBe(lane);
  });
});

describe('findOperation', () => {
  it('finds a method by its own and by earlier names', () => {
    for (const method of all) {
      for (const name of [method.name, ...method.aliases]) expect(findMethod(name)).toBe(method);
    }
  });

  it.each(['', 'nosuch', 'GET_REPO', 'get_repo ', '__proto__', 'constructor', 'toString'])(
    'does not know %j',
    (name) => {
      expect(findMethod(name)).toBeUndefined();
    },
  );
});
