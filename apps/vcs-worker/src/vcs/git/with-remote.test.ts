import { describe, expect, it } from 'vitest';
import { parseGitProgress } from './with-remote.ts';

describe('parseGitProgress', () => {
  it.each([
    ['Receiving objects:   0% (1/600)', 'receiving objects', 1, 600, 'objects'],
    ['Receiving objects:  45% (450/1000), 1.20 MiB | 512.00 KiB/s', 'receiving objects', 450, 1000, 'objects'],
    ['Resolving deltas: 100% (274/274), done.', 'resolving deltas', 274, 274, 'deltas'],
    ['Receiving objects: 100% (9/3)', 'receiving objects', 9, null, 'objects'],
  ])('reads %j', (line, phase, done, total, unit) => {
    expect(parseGitProgress(line)).toEqual({ phase, done, total, unit });
  });

  it.each([
    '',
    'remote: Receiving objects:  45% (450/1000)',
    'remote: Compressing objects: 100% (3/3), done.',
    ' Receiving objects:  45% (450/1000)',
    'Receiving objects: 450',
    'Receiving objects: 45% (-1/1000)',
    'Receiving objects: 45% (1e3/1000)',
    `Receiving objects: 45% (${'9'.repeat(16)}/1)`,
    'Receiving spam: 45% (450/1000)',
    '__proto__: 45% (450/1000)',
    'From http://127.0.0.1/x',
  ])('D11 %j is no progress', (line) => {
    expect(parseGitProgress(line)).toBeNull();
  });
});
