import { expect, it } from 'vitest';
import { pageOfMissing, repositoryPages, repositoryRoute } from './repository-route.ts';

it('finds the page after the shortest name, the longest segments first', () => {
  const pageOf = (path: string) => pageOfMissing(path.split('/'));
  expect(pageOf('group/repo/settings/delete')).toBe(repositoryPages['settings/delete']);
  expect(pageOf('repo/settings/other')).toBe(repositoryPages['settings']);
  expect(pageOf('settings/files/raw')).toBe(repositoryPages['files']);
  expect(pageOf('repo/feed')).toBeNull();
  expect(pageOf('settings')).toBeNull();
});

it('finds no page of two segments at one segment with an escaped slash', () => {
  expect(pageOfMissing(['repo', 'settings/delete'])).toBeNull();
  const located = (rest: readonly string[]) => repositoryRoute({ id: 1, name: 'repo', rest }).pageName;
  expect(located(['settings', 'delete'])).toBe(repositoryPages['settings/delete']?.pageName);
  expect(located(['settings/delete'])).toBe('HomeController:not_found');
});

it('reads each segment of a path a few times at most', () => {
  const counts = new Map<string | symbol, number>();
  const segments = new Proxy(
    Array.from({ length: 2_000 }, () => 'a'),
    {
      get(target, key, receiver) {
        if (/^\d+$/.test(String(key))) counts.set(key, (counts.get(key) ?? 0) + 1);
        return Reflect.get(target, key, receiver) as unknown;
      },
    },
  );
  expect(pageOfMissing(segments)).toBeNull();
  expect(counts.size).toBeGreaterThan(1_900);
  expect(Math.max(...counts.values())).toBeLessThan(5);
});
