import { describe, expect, it } from 'vitest';
import type { DiffFile } from './diff-file.ts';
import { createDiffParser, diffLimits } from './parse-diff.ts';

/** Parses a diff of which each character is a byte. */
function parseBytes(...lines: string[]): readonly DiffFile[] {
  const parser = createDiffParser();
  parser.feed(Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
  return parser.end().files;
}

const shownIn = (file: DiffFile | undefined) => file?.hunks.flatMap(({ lines }) => lines.map(({ text }) => text));

describe('texts and names that are not UTF-8', () => {
  it('are decoded a file at a time', () => {
    const [utf8, latin1, shiftJis] = parseBytes(
      ...['diff --git a/u b/u', '--- a/u', '+++ b/u', '@@ -0,0 +1 @@', '+caf\xc3\xa9'],
      ...['diff --git a/l b/l', '--- a/l', '+++ b/l', '@@ -1 +1,2 @@ d\xe9j\xe0', ' na\xefve', '+caf\xe9'],
      ...[
        'diff --git a/s b/s',
        '--- a/s',
        '+++ b/s',
        '@@ -0,0 +1 @@',
        '+\x93\xfa\x96{\x8c\xea\x83t\x83@\x83C\x83\x8b\x96\xbc\x82\xf0\x92\xc7\x89\xc1',
      ],
    );
    expect([utf8?.encoding, shownIn(utf8)]).toEqual([null, ['café']]);
    expect([latin1?.encoding, shownIn(latin1)]).toEqual(['windows-1252', ['naïve', 'café']]);
    expect(latin1?.hunks[0]?.header).toBe('@@ -1 +1,2 @@ déjà');
    expect([shiftJis?.encoding, shownIn(shiftJis)]).toEqual(['Shift_JIS', ['日本語ファイル名を追加']]);
  });

  it('are decoded on each side of a change of the encoding alone', () => {
    const [file] = parseBytes('diff --git a/x b/x', '@@ -1,2 +1,2 @@', ' ascii', '-caf\xe9', '+caf\xc3\xa9');
    expect([file?.encoding, shownIn(file)]).toEqual(['windows-1252', ['ascii', 'café', 'café']]);
  });

  it('keep a file UTF-8 whose long line is cut within a character', () => {
    const line = `+a${'日'.repeat(10_000)}`;
    const parser = createDiffParser({ ...diffLimits, charactersOfLine: 100 });
    parser.feed(Buffer.from(`diff --git a/x b/x\n@@ -0,0 +1,2 @@\n${line}\n+é\n`));
    const { files } = parser.end();
    expect(files[0]).toMatchObject({
      encoding: null,
      hunks: [
        {
          lines: [
            { text: `a${'日'.repeat(99)}`, isCut: true },
            { text: 'é', isCut: false },
          ],
        },
      ],
    });
  });

  it.each([
    ['diff --git a/caf\xe9 b/caf\xe9', '+++ b/caf\xe9', 'caf\ufffdE9'],
    ['diff --git "a/caf\\351" "b/caf\\351"', '+++ "b/caf\\351"', 'caf\ufffdE9'],
    ['diff --git "a/a\\n\xe9" "b/a\\n\xe9"', '+++ "b/a\\n\xe9"', 'a\n\ufffdE9'],
    ['diff --git a/\xef\xbf\xbd b/\xef\xbf\xbd', '+++ b/\xef\xbf\xbd', '\ufffdEF\ufffdBF\ufffdBD'],
  ])('have names of their bytes: %j', (begin, line, path) => {
    for (const lines of [[begin], [begin, line, '@@ -1 +0,0 @@', '-x']]) {
      expect(parseBytes(...lines)).toMatchObject([{ newPath: path }]);
    }
  });
});
