import { expect, it } from 'vitest';
import { gitProtocol } from './git-protocol.ts';

it.each([
  ['version=2', 2],
  ['version=1', 1],
  ['version=0', 0],
  ['version=1:version=2:other=x', 2],
  ['version=9', 0],
  ['version=2;rm', 0],
  ['VERSION=2', 0],
  ['version=2\u0000', 0],
  [':'.repeat(60_000), 0],
  ['', 0],
  [undefined, 0],
  [['version=2', 'version=1'], 0],
])('the header %j asks for version %i', (header, version) => {
  expect(gitProtocol(header)).toBe(version);
});
