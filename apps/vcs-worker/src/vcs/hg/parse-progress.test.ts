import { describe, expect, it } from 'vitest';
import { parseHgProgress } from './parse-progress.ts';

describe('parseHgProgress', () => {
  it.each([
    ['changesets  1/60 chunks', 'receiving changesets', 1, 60, 'changesets'],
    ['changesets 12 chunks', 'receiving changesets', 12, null, 'changesets'],
    ['manifests 60/60 chunks', 'receiving manifests', 60, 60, 'manifests'],
    ['files 31/30 files', 'receiving files', 31, null, 'files'],
    ['clone  1048576/10485760 bytes', 'receiving data', 1048576, 10485760, 'bytes'],
    ['linking  3/35 files', 'linking files', 3, 35, 'files'],
  ])('parses the line "%s"', (line, phase, done, total, unit) => {
    expect(parseHgProgress(line)).toEqual({ phase, done, total, unit });
  });

  it.each([
    '',
    '          ',
    'searching 1 queries',
    'remote: changesets  1/60 chunks',
    'changesets 1/60 chunks and more',
    'changesets 1/60 files',
    'changesets -1/60 chunks',
    `changesets ${'9'.repeat(16)} chunks`,
    'constructor 1/60 chunks',
    'abort: no',
  ])('D11 %j is no progress', (line) => {
    expect(parseHgProgress(line)).toBeNull();
  });
});
