import { expect, it } from 'vitest';
import { closestName } from './closest-name.ts';

const known = ['get_repo', 'get_repos', 'create_repo', 'pull', 'lock', 'test'];

it.each([
  ['get_rep', 'get_repo'],
  ['get_reposs', 'get_repos'],
  ['GET_REPO', 'get_repo'],
  ['get-repo', 'get_repo'],
  ['creat_repo', 'create_repo'],
  ['pul', 'pull'],
  ['plul', undefined],
  ['anything', undefined],
  ['', undefined],
  ['get_repo'.repeat(100), undefined],
])('finds for %j the name %j', (misspelt, name) => {
  expect(closestName(misspelt, known)).toBe(name);
});
