import { describe, expect, it } from 'vitest';
import type { Diff, DiffFile } from './diff-file.ts';
import { createDiffParser, diffLimits } from './parse-diff.ts';

function parse(text: string, limits: Partial<typeof diffLimits> = {}): Diff {
  const parser = createDiffParser({ ...diffLimits, ...limits });
  parser.feed(Buffer.from(text));
  return parser.end();
}

describe('the limits of a diff', () => {
  const fileOf = (name: string, lines: number) =>
    `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -0,0 +1,${lines} @@\n${'+a\n'.repeat(lines)}`;
  const linesOf = (file: DiffFile | undefined) => file?.hunks.flatMap(({ lines }) => lines).length;

  it('keeps the beginning of a file beyond its share, counts all its lines and reads the next file', () => {
    const limits = { linesOfFile: 11, linesOfCutFile: 4 };
    const { files, truncated } = parse(fileOf('x', 100) + fileOf('y', 3), limits);
    expect(truncated).toBe(false);
    expect(files).toMatchObject([
      { isCut: true, linesAdded: 100 },
      { isCut: false, linesAdded: 3 },
    ]);
    expect(files.map(linesOf)).toEqual([3, 3]);
  });

  it('gives what a large file does not keep to the files after it', () => {
    const limits = { lines: 40, linesOfFile: 30, linesOfCutFile: 5 };
    const names = Array.from('abcdefg');
    const { files, truncated } = parse(names.map((name) => fileOf(name, name === 'g' ? 3 : 100)).join(''), limits);
    expect(truncated).toBe(false);
    expect(files.map(linesOf)).toEqual([4, 4, 4, 4, 4, 4, 3]);
  });

  it('a file whose hunks are all short is cut between two of them', () => {
    const hunks = (count: number) => '@@ -1 +1 @@\n-a\n+b\n'.repeat(count);
    const { files } = parse(`diff --git a/x b/x\n${hunks(4)}`, { linesOfFile: 10, linesOfCutFile: 7 });
    expect(files).toMatchObject([{ isCut: true, linesAdded: 4 }]);
    expect(files[0]?.hunks.map(({ lines }) => lines.length)).toEqual([2, 2]);
  });

  it('cuts a file at its limit of bytes, and where that of all files is reached', () => {
    const wide = (name: string) => fileOf(name, 20).replaceAll('+a\n', `+${'a'.repeat(100)}\n`);
    const limits = { keptBytesOfFile: 1_000, linesOfCutFile: 3, keptBytes: 1_200 };
    const { files, truncated } = parse(['x', 'y', 'z'].map(wide).join('') + fileOf('w', 3), limits);
    expect(files.map(({ isCut }) => isCut)).toEqual([true, true, true, false]);
    expect([truncated, files.map(linesOf)]).toEqual([false, [2, 2, 2, 3]]);
  });

  it('stops at the limit of lines of all files', () => {
    const { files, truncated } = parse(fileOf('x', 10) + fileOf('y', 10) + fileOf('z', 10), { lines: 17 });
    expect(truncated).toBe(true);
    expect(files.map(({ isCut }) => isCut)).toEqual([false, true]);
    expect(files.map(linesOf)).toEqual([10, 5]);
  });

  it('keeps one file alone when asked, by its path after the change, and stops after it', () => {
    const moved = 'diff --git a/y b/z\nsimilarity index 90%\nrename from y\nrename to z\n@@ -1 +1 @@\n-1\n+2\n';
    const gone = 'diff --git a/y b/y\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n';
    const all = fileOf('x', 100) + gone + moved + fileOf('zz', 100);
    const only = (path: string) => parse(all, { only: path, lines: 50, files: 2, linesOfFile: 50 });
    expect(only('z')).toMatchObject({ truncated: false, files: [{ oldPath: 'y', newPath: 'z', similarity: 90 }] });
    expect(only('y')).toMatchObject({ truncated: false, files: [{ oldPath: 'y', newPath: null, linesRemoved: 1 }] });
    expect(only('zz')).toMatchObject({ truncated: false, files: [{ newPath: 'zz', isCut: true }] });
    expect(only('none')).toMatchObject({ truncated: false, files: [] });
    const parser = createDiffParser({ ...diffLimits, only: 'x' });
    expect(parser.feed(Buffer.from(all))).toBe(false);
  });

  it('stops at the limit of files', () => {
    const { files, truncated } = parse(fileOf('x', 1) + fileOf('y', 1) + fileOf('z', 1), { files: 2 });
    expect(truncated).toBe(true);
    expect(files.map(({ newPath, isCut }) => [newPath, isCut])).toEqual([
      ['x', false],
      ['y', false],
    ]);
  });

  it('cuts long lines and marks them as cut', () => {
    const [file] = parse(`diff --git a/x b/x\n@@ -0,0 +1,2 @@\n+${'a'.repeat(10)}\n+${'a'.repeat(11)}\n`, {
      charactersOfLine: 10,
    }).files;
    expect(file?.hunks[0]?.lines).toMatchObject([
      { text: 'a'.repeat(10), isCut: false },
      { text: 'a'.repeat(10), isCut: true },
    ]);
  });

  it('reads on after a line of megabytes, of which it holds the beginning', () => {
    const parser = createDiffParser({ ...diffLimits, charactersOfLine: 10 });
    const [start, end] = ['diff --git a/x b/x\n@@ -0,0 +1,2 @@\n+', `\n+short\n${fileOf('y', 1)}`];
    parser.feed(Buffer.from(start));
    for (let piece = 0; piece < 80; piece += 1) parser.feed(Buffer.alloc(65_536, 'a'));
    parser.feed(Buffer.from(end));
    const { files, truncated } = parser.end();
    expect([truncated, files.map(({ isCut }) => isCut)]).toEqual([false, [false, false]]);
    expect(files[0]?.hunks[0]?.lines).toMatchObject([{ text: 'a'.repeat(10), isCut: true }, { text: 'short' }]);
  });

  it('returns false at the limit of bytes of an endless line, and ignores later pieces', () => {
    const parser = createDiffParser();
    expect(parser.feed(Buffer.from(`${fileOf('x', 1)}diff --git a/y b/y\n@@ -0,0 +1 @@\n+`))).toBe(true);
    let pieces = 0;
    while (parser.feed(Buffer.alloc(65_536, 'a'))) pieces += 1;
    expect(pieces).toBe(127);
    expect(parser.feed(Buffer.from('more'))).toBe(false);
    expect(parser.end()).toMatchObject({
      truncated: true,
      files: [{ isCut: false }, { isCut: true, hunks: [{ lines: [] }] }],
    });
  });
});
