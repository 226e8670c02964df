import { describe, expect, it } from 'vitest';
import { parseGitProgress } from './git/with-remote.ts';
import { parseHgProgress } from './hg/own-server.ts';
import { progressReader, withoutProgress, type ParseProgress, type Progress } from './progress.ts';

const gitSays = [
  'remote: Counting objects: 100% (600/600), done.\n',
  'Receiving objects:   1% (6/600)\r',
  'Receiving objects:  45% (270/600), 1.20 MiB | 2.00 MiB/s\r',
  'Receiving objects: 100% (600/600), 2.10 MiB | 2.00 MiB/s, done.\n',
  'Resolving deltas:   0% (0/274)\r',
].join('');

function reported(parse: ParseProgress, chunks: readonly string[]): Progress[] {
  const seen: Progress[] = [];
  const read = progressReader(parse, (progress) => seen.push(progress));
  for (const chunk of chunks) read(chunk);
  return seen;
}

describe('progressReader', () => {
  it('reports only the newest progress of a piece', () => {
    const newest = { phase: 'resolving deltas', done: 0, total: 274, unit: 'deltas' };
    expect(reported(parseGitProgress, [gitSays])).toEqual([newest]);
  });

  it('reads lines cut at every position', () => {
    const steps = reported(parseGitProgress, Array.from(gitSays)).map(({ phase, done }) => `${phase} ${done}`);
    expect([...new Set(steps)]).toEqual([
      'receiving objects 6',
      'receiving objects 270',
      'receiving objects 600',
      'resolving deltas 0',
    ]);
    expect(reported(parseHgProgress, ['\rchangesets  9/', '60 chunks\rchangesets 10/60 chunks'])).toMatchObject([
      { done: 10, total: 60 },
    ]);
  });

  it('D11 keeps only the beginning of a line without end, and parses no part of it', () => {
    const line = 'Receiving objects:  45% (450/1000)';
    expect(reported(parseGitProgress, ['x'.repeat(1e6), line, line.padEnd(201), '\n'])).toEqual([]);
    expect(reported(parseGitProgress, ['x'.repeat(1e6), `\n${line}\r`])).toHaveLength(1);
  });
});

describe('withoutProgress', () => {
  it('keeps the output beside the progress', () => {
    expect(withoutProgress(`${gitSays}fatal: early EOF\nerror: x\r\n`)).toBe(
      'remote: Counting objects: 100% (600/600), done.\n' +
        'Receiving objects: 100% (600/600), 2.10 MiB | 2.00 MiB/s, done.\nfatal: early EOF\nerror: x\r\n',
    );
    expect(withoutProgress('\rchangesets 1/60 chunks\r      \rabort: no\n')).toBe('abort: no\n');
  });
});
