import { expect, it } from 'vitest';
import { isTransientInGit } from './git/unfinished-files.ts';
import { isTransientInHg } from './hg/hg-maintenance.ts';

it.each([
  ['HEAD.lock', true],
  ['refs/heads/a.lock', true],
  ['objects/ab/tmp_obj_x', true],
  ['objects/pack/tmp_pack_x', true],
  ['objects/incoming-x', true],
  ['trunkline.writer', true],
  ['packed-refs.new', true],
  ['refs/heads/packed-refs.new', false],
  ['refs/heads/tmp_x', false],
  ['refs/heads/incoming-x', false],
  ['HEAD', false],
  ['objects/pack/pack-x.pack', false],
])('of git, a copy leaves out %s: %s', (path, expected) => {
  expect(isTransientInGit(path)).toBe(expected);
});

it.each([
  ['.hg/wlock', true],
  ['.hg/store/lock', true],
  ['.hg/trunkline.writer', true],
  ['.hg/trunkline.clock', true],
  ['.hg/cache/checklink', true],
  ['.hg/wcache/checkisexec', true],
  ['.hg/cache/branch2', false],
  ['.hg/store/data/lock.i', false],
  ['wlock', false],
])('of hg, a copy leaves out %s: %s', (path, expected) => {
  expect(isTransientInHg(path)).toBe(expected);
});
