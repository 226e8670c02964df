import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runsAny } from './tests-to-run.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const runsPages = (...args: string[]) =>
  runsAny({ args, root, tier: 'all' }, { project: 'web', directory: 'tests/web' });

it.each([
  [],
  ['--project', 'web'],
  ['--project=w*'],
  ['--project=!bench'],
  ['--project=api', '--project=web'],
  ['tests/web/files.test.ts'],
  ['./tests/web/files'],
  ['sign-in', '--bail=1'],
  ['tests/web/files.test.ts:12'],
  ['-t', 'something'],
])('runs tests of pages for %j', (...args) => {
  expect(runsPages(...args)).toBe(true);
});

it.each([
  ['--project', 'api'],
  ['--project=unit', '--project=tools'],
  ['--project=!web'],
  ['tests/api/get-repo.test.ts'],
  ['--project', 'web', 'tests/api/'],
])('runs no test of pages for %j', (...args) => {
  expect(runsPages(...args)).toBe(false);
});

it('considers only files of the directory that match the name', () => {
  const ssh = { project: 'tools', directory: 'apps/vcs-worker/src/vcs/egress', name: /ssh/ };
  expect(runsAny({ args: ['egress'], root, tier: 'all' }, ssh)).toBe(true);
  expect(runsAny({ args: ['egress-git'], root, tier: 'all' }, ssh)).toBe(false);
});

it('considers only files of the tier', () => {
  const proxies = { project: 'wire', directory: 'tests/wire', name: /proxies/ };
  expect(runsAny({ args: [], root, tier: 'long' }, proxies)).toBe(true);
  expect(runsAny({ args: [], root, tier: 'quick' }, proxies)).toBe(false);
});
