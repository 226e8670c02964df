import { describe, expect, it } from 'vitest';
import { argValues, requiredMark } from '../args/arg.ts';
import { laneNames } from '../lanes.ts';
import type { Method } from '../method.ts';
import { findMethod, methods } from './index.ts';
import { resources } from './resources.ts';

const entries: readonly (readonly [string, Method])[] = Object.entries(methods);
const all = entries.map(([, method]) => method);
const allArgs = all.flatMap((method) =>
  Object.entries(method.args).map(([name, arg]) => ({ method: method.name, name, arg })),
);

describe('the table of methods', () => {
  it.each(entries)('lists the method %s under its own name', (key, method) => {
    expect(method.name).toBe(key);
  });

  it('uses no name or alias for two methods', () => {
    const names = all.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(all)('E1 name and aliases of $name are valid as one token of a subject', ({ name, aliases }) => {
    for (const one of [name, ...aliases]) expect(one).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  it.each(all)('$name has a summary that is a sentence, and a lane that exists', ({ summary, lane }) => {
    expect(summary).toMatch(/^[A-Z].*\.$/);
    expect(laneNames).toContain(lane);
  });

  it.each(all.filter(({ permission }) => permission.repository !== undefined))(
    '$name, which requires a level on a repository, has the required argument repoid',
    ({ args }) => {
      expect(args['repoid']?.fallback).toBe(requiredMark);
    },
  );

  it.each(allArgs)('argument $name of $method has a summary, and a shown default unless it is required', ({ arg }) => {
    expect(arg.summary).not.toBe('');
    expect(arg.shownDefault === '').toBe(arg.fallback === requiredMark);
  });

  it.each(allArgs.filter(({ arg }) => arg.values !== undefined))(
    'the summary of argument $name of $method names its values',
    ({ arg }) => {
      const isNamed = (value: string) =>
        [value, value.replace(/^.*(?=\.)/, '')].some((part) => arg.summary.includes(`\`${part}\``));
      expect(argValues(arg).filter((value) => !isNamed(value))).toEqual([]);
    },
  );

  it('lists each method under one resource', () => {
    expect(resources.flatMap((resource) => resource.methods).toSorted()).toEqual(Object.keys(methods).toSorted());
  });

  it('uses no name or older name for two arguments of one method', () => {
    for (const { args } of all) {
      const names = Object.entries(args).flatMap(([name, { aliases }]) => [name, ...aliases]);
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

describe('findMethod', () => {
  it('finds a method by its name and by its aliases', () => {
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
