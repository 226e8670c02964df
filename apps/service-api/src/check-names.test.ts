import { expect, it } from 'vitest';
import { closestName, unknownNames } from './check-names.ts';

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

it.each([
  ['get_repo', ['repoid'], undefined],
  ['get_repo', ['repo_id'], 'get_repo has no argument "repo_id", did you mean repoid?'],
  ['get_repo', ['repoid', 'repo_id'], 'get_repo has no argument "repo_id"'],
  [
    'create_repo',
    ['repo_nam', 'privat'],
    'create_repo has no argument "repo_nam", "privat", did you mean repo_name, private?',
  ],
  ['create_repo', ['privat', 'privat'], 'create_repo has no argument "privat", did you mean private?'],
  ['create_repo', ['x\u001b', '__proto__'], String.raw`create_repo has no argument "x\u001b", "__proto__"`],
  ['show_ip', ['user_id'], 'show_ip has no argument "user_id", did you mean userid?'],
  ['get_rep', ['x'], 'This client does not know the method "get_rep", did you mean get_repo?'],
  ['anything', ['x'], 'This client does not know the method "anything"'],
])('of %s with %j', (method, sent, text) => {
  expect(unknownNames(method, sent)?.text).toBe(text);
});
