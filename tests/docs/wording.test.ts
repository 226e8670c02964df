import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordsGivenUp } from './wording.ts';

const root = join(import.meta.dirname, '../..');

/** Files that quote or map the words that were given up. */
const exempt = new Set(['tests/docs/wording.ts', 'tests/docs/wording.test.ts', 'LICENSE']);

function files(): string[] {
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return tracked.split('\n').filter((path) => /\.(tsx?|mjs|md)$/.test(path) && !exempt.has(path));
}

describe('wording', () => {
  it('finds words that were given up in comments, names of tests and pages, and nowhere else', () => {
    const text = "// He waits.\nconst his = 'his';\n/** In place. */\nit('hears of it', () => {});\n";
    expect(wordsGivenUp('a.test.ts', text)).toEqual([
      { line: 1, word: 'He' },
      { line: 4, word: 'hears' },
    ]);
    expect(wordsGivenUp('a.md', 'The journal, `get_journal`.')).toEqual([{ line: 1, word: 'journal' }]);
    expect(wordsGivenUp('a.md', '1 kB, 2 MB\n3 KiB')).toEqual([{ line: 2, word: 'KiB' }]);
  });

  it('no comment, name of a test or page has a word that was given up', () => {
    const found = files().flatMap((path) =>
      wordsGivenUp(path, readFileSync(join(root, path), 'utf8')).map(({ line, word }) => `${path}:${line} ${word}`),
    );
    expect(found).toEqual([]);
  });
});
