import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diff, DiffFile } from './diff-file.ts';
import { createDiffParser, diffLimits } from './parse-diff.ts';

function parse(text: string, limits: Partial<typeof diffLimits> = {}): Diff {
  const parser = createDiffParser({ ...diffLimits, ...limits });
  parser.feed(Buffer.from(text));
  return parser.end();
}

function parseOne(...lines: string[]): DiffFile | undefined {
  const { files } = parse(`${lines.join('\n')}\n`);
  expect(files).toHaveLength(1);
  return files[0];
}

describe('createDiffParser', () => {
  it('reads paths, modes, hunks and line numbers', () => {
    const file = parseOne(
      'diff --git a/src/a.c b/src/a.c',
      'index 1234567..89abcde 100644',
      '--- a/src/a.c',
      '+++ b/src/a.c',
      '@@ -1,2 +1,2 @@ main()',
      ' one',
      '-two',
      '+zwei',
      '@@ -10 +10,2 @@',
      ' ten',
      '+eleven',
      '\\ No newline at end of file',
    );
    expect(file).toEqual({
      ...{ oldPath: 'src/a.c', newPath: 'src/a.c', oldMode: '100644', newMode: '100644', change: 'changed' },
      ...{ similarity: null, isBinary: false, encoding: null, isCut: false, linesAdded: 2, linesRemoved: 1 },
      hunks: [
        {
          header: '@@ -1,2 +1,2 @@ main()',
          lines: [
            { kind: 'context', oldLine: 1, newLine: 1, text: 'one', isCut: false },
            { kind: 'removed', oldLine: 2, newLine: null, text: 'two', isCut: false },
            { kind: 'added', oldLine: null, newLine: 2, text: 'zwei', isCut: false },
          ],
        },
        {
          header: '@@ -10 +10,2 @@',
          lines: [
            { kind: 'context', oldLine: 10, newLine: 10, text: 'ten', isCut: false },
            { kind: 'added', oldLine: null, newLine: 11, text: 'eleven', isCut: false },
            { kind: 'noNewline', oldLine: null, newLine: null, text: 'No newline at end of file', isCut: false },
          ],
        },
      ],
    });
  });

  it.each<[DiffFile['change'], string | null, string | null, string[]]>([
    ['added', null, 'x', ['diff --git a/x b/x', 'new file mode 100644']],
    [
      'added',
      null,
      'x',
      ['diff --git a/x b/x', 'new file mode 100644', '--- /dev/null', '+++ b/x', '@@ -0,0 +1 @@', '+x'],
    ],
    [
      'removed',
      'x',
      null,
      ['diff --git a/x b/x', 'deleted file mode 100644', '--- a/x', '+++ /dev/null', '@@ -1 +0,0 @@', '-x'],
    ],
    ['renamed', 'x y', 'z', ['diff --git a/x y b/z', 'similarity index 100%', 'rename from x y', 'rename to z']],
    [
      'copied',
      'x',
      'b/y',
      ['diff --git a/x b/b/y', 'copy from x', 'copy to b/y', '--- a/x', '+++ b/b/y', '@@ -1 +1 @@', '-1', '+2'],
    ],
    ['mode', 'x', 'x', ['diff --git a/x b/x', 'old mode 100644', 'new mode 100755']],
    [
      'changed',
      'x',
      'x',
      ['diff --git a/x b/x', 'old mode 100644', 'new mode 100755', '--- a/x', '+++ b/x', '@@ -1 +1 @@', '-1', '+2'],
    ],
    ['changed', 'a b/a', 'a b/a', ['diff --git a/a b/a b/a b/a', 'Binary files a/a b/a and b/a b/a differ']],
    ['changed', 'x y', 'x y', ['diff --git a/x y b/x y', '--- a/x y\t', '+++ b/x y\t', '@@ -1 +1 @@', '-1', '+2']],
    [
      'mode',
      'ä"\t\\',
      'ä"\t\\',
      ['diff --git "a/\\303\\244\\"\\t\\\\" "b/\\303\\244\\"\\t\\\\"', 'old mode 100644', 'new mode 100755'],
    ],
    ['renamed', 'ä', 'b', ['diff --git "a/\\303\\244" b/b', 'rename from "\\303\\244"', 'rename to b']],
    ['renamed', 'a', 'ä', ['diff --git a/a "b/\\303\\244"', 'rename from a', 'rename to "\\303\\244"']],
    [
      'added',
      null,
      'ä',
      [
        'diff --git "a/\\303\\244" "b/\\303\\244"',
        'new file mode 120000',
        '--- /dev/null',
        '+++ "b/\\303\\244"',
        '@@ -0,0 +1 @@',
        '+x',
      ],
    ],
  ])('reads a change of kind %s from %j to %j', (change, oldPath, newPath, lines) => {
    expect(parseOne(...lines)).toMatchObject({ change, oldPath, newPath });
  });

  it('reads the removal of a file, and the addition of what replaces it, as one change', () => {
    const file = parseOne(
      ...['diff --git a/x b/x', 'deleted file mode 100644', 'index 1234567..0000000'],
      ...['--- a/x', '+++ /dev/null', '@@ -1,2 +0,0 @@', '-one', '-two'],
      ...['diff --git a/x b/x', 'new file mode 160000', 'index 0000000..89abcde'],
      ...['--- /dev/null', '+++ b/x', '@@ -0,0 +1 @@', '+Subproject commit 89abcde'],
    );
    expect(file).toMatchObject({
      ...{ change: 'changed', oldPath: 'x', newPath: 'x', oldMode: '100644', newMode: '160000' },
      ...{ linesAdded: 1, linesRemoved: 2, hunks: [{ lines: [{}, {}] }, { lines: [{}] }] },
    });
  });

  it('reads the removal of one file and the addition of another as two changes', () => {
    const { files } = parse('diff --git a/x b/x\ndeleted file mode 100644\ndiff --git a/y b/y\nnew file mode 100644\n');
    expect(files.map(({ change }) => change)).toEqual(['removed', 'added']);
  });

  it('reads no header lines from the data of a binary patch', () => {
    const file = parseOne(
      'diff --git a/x b/x',
      'new file mode 100644',
      'GIT binary patch',
      'literal 3',
      'KcmZQzXYgm3=KugV{{R4',
      'rename to y',
      '--- a/y',
      '',
      'literal 0',
    );
    expect(file).toMatchObject({ change: 'added', newPath: 'x', isBinary: true, hunks: [] });
  });

  it('reads lines of a file that look like headers of a diff as content', () => {
    const removed = ['-- a/x', 'diff --git a/evil b/evil', '@@ -1 +1 @@', '\\ No newline'];
    const added = ['++ b/evil', 'rename to evil', 'Binary files a and b differ', 'GIT binary patch'];
    const file = parseOne(
      'diff --git a/x b/x',
      '--- a/x',
      '+++ b/x',
      '@@ -1,5 +1,5 @@',
      ' diff --git a/evil b/evil',
      ...removed.map((line) => `-${line}`),
      ...added.map((line) => `+${line}`),
    );
    expect(file).toMatchObject({ oldPath: 'x', newPath: 'x', isBinary: false, linesAdded: 4, linesRemoved: 4 });
    expect(file?.hunks[0]?.lines.map(({ text }) => text)).toEqual(['diff --git a/evil b/evil', ...removed, ...added]);
  });

  it('ignores lines before the first file and after the last hunk', () => {
    const file = parseOne(
      ...['# HG changeset patch', '--- a/y', '@@ -1 +1 @@', '-y', ''],
      ...['diff --git a/x b/x', '--- a/x', '+++ b/x', '@@ -1 +1 @@', '-1', '+2', '-- ', '2.39.5', ''],
    );
    expect(file).toMatchObject({ oldPath: 'x', linesAdded: 1, linesRemoved: 1 });
  });

  it('reads the next file after a hunk that is shorter than its header counts', () => {
    const { files } = parse('diff --git a/x b/x\n@@ -1,9 +1,9 @@\n-1\ndiff --git a/y b/y\n@@ -1 +1 @@\n-1\n+2\n');
    expect(files.map(({ newPath, linesAdded }) => [newPath, linesAdded])).toEqual([
      ['x', 0],
      ['y', 1],
    ]);
  });
});

const hostileLine = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', '')),
  fc.constantFrom(
    '',
    '-- a/x',
    '++ b/x',
    '@@ -1 +1 @@',
    'diff --git a/x b/x',
    '\\ No newline at end of file',
    ' ',
    '\r',
  ),
);
/** Spans of a file: lines that stay, then some removed lines, then some added lines. */
const edits = fc.array(
  fc.record({
    kept: fc.array(hostileLine, { minLength: 1, maxLength: 9 }),
    removed: fc.array(hostileLine, { maxLength: 4 }),
    added: fc.array(hostileLine, { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 8 },
);

it('reads both sides of every hunk, whatever pieces the diff is split into', () => {
  fc.assert(
    fc.property(edits, fc.integer({ min: 1, max: 40 }), (spans, size) => {
      let oldAt = 1;
      let newAt = 1;
      let text = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n';
      const expected = spans.map(({ kept, removed, added }) => {
        const header = `@@ -${oldAt},${kept.length + removed.length} +${newAt},${kept.length + added.length} @@`;
        const body = [
          ...kept.map((line) => ` ${line}`),
          ...removed.map((line) => `-${line}`),
          ...added.map((line) => `+${line}`),
        ];
        text += `${[header, ...body].join('\n')}\n`;
        const sides = { header, oldAt, newAt, old: [...kept, ...removed], new: [...kept, ...added] };
        oldAt += sides.old.length + 5;
        newAt += sides.new.length + 5;
        return sides;
      });

      const parser = createDiffParser();
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += size) parser.feed(bytes.subarray(at, at + size));
      const { files, truncated } = parser.end();

      expect(truncated).toBe(false);
      const read = files[0]?.hunks.map(({ header, lines }) => {
        const oldLines = lines.filter(({ oldLine }) => oldLine !== null);
        const newLines = lines.filter(({ newLine }) => newLine !== null);
        expect(oldLines.map(({ oldLine }) => oldLine)).toEqual(
          oldLines.map((_, index) => (oldLines[0]?.oldLine ?? 0) + index),
        );
        return {
          ...{ header, oldAt: oldLines[0]?.oldLine, newAt: newLines[0]?.newLine },
          ...{ old: oldLines.map(({ text }) => text), new: newLines.map(({ text }) => text) },
        };
      });
      expect(read).toEqual(expected);
    }),
  );
});
