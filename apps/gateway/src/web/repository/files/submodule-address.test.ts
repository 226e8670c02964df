import { expect, it } from 'vitest';
import { submoduleLink, submoduleText } from './submodule-address.ts';

it.each([
  ['https://git.example/lib.git', 'https://git.example/lib.git'],
  ['HTTP://git.example/a%20b?c#d', 'http://git.example/a%20b?c#d'],
  ['https://ann:secret@git.example/lib', 'https://git.example/lib'],
  ['[git]https://git.example/lib', 'https://git.example/lib'],
  ['../lib', '/group/sub/lib'],
  ['../../other/lib.git', '/group/other/lib'],
  ['../../../top/', '/top'],
  ['[svn] ../lib', '/group/sub/lib'],
  ['../a?b#c', '/group/sub/a%3Fb%23c'],
])('leads from %s to %s', (address, expected) => {
  expect(submoduleLink(address, 'group/sub/app')).toBe(expected);
});

it.each([
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'ssh://git@git.example/lib',
  'git@git.example:lib',
  'git://git.example/lib',
  'ext::sh -c x',
  '//git.example/lib',
  'https:javascript',
  'https:///x',
  'https://',
  'https://a b/',
  'ht\ttps://git.example/',
  'http:\\\\git.example',
  '/lib',
  'lib',
  '',
  './lib',
  '../app',
  '../app.git',
  '../app/below',
  '../../..',
  '../../../../lib',
])('of %j there is no link', (address) => {
  expect(submoduleLink(address, 'group/sub/app')).toBeNull();
});

it('shows no login', () => {
  expect(submoduleText('https://ann:secret@git.example/lib@2')).toBe('https://git.example/lib@2');
  expect(submoduleText('https://ann:p@ss@git.example/lib')).toBe('https://git.example/lib');
  expect(submoduleText('git@git.example:lib')).toBe('git@git.example:lib');
});
