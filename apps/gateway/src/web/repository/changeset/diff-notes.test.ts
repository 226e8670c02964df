import { expect, it } from 'vitest';
import { createDiffParser } from '../../render/diff/parse-diff.ts';
import { notesOf } from './diff-notes.ts';

function notes(...lines: string[]): string[] {
  const parser = createDiffParser();
  parser.feed(Buffer.from(`diff --git a/x b/x\n${lines.join('\n')}\n`));
  return parser.end().files.flatMap((file) => notesOf(file));
}

const [one, other] = ['1'.repeat(40), '2'.repeat(40)];
const removal = ['--- a/x', '+++ /dev/null', '@@ -1 +0,0 @@'];
const addition = ['--- /dev/null', '+++ b/x', '@@ -0,0 +1 @@'];

it.each<[string[], string[]]>([
  [['index 1..2 100644', '--- a/x', '+++ b/x', '@@ -1 +1 @@', '-1', '+2'], []],
  [['old mode 100644', 'new mode 100755'], ['Mode 100644 → 100755']],
  [['new file mode 100755', ...addition, '+1'], ['Mode 100755']],
  [['new file mode 120000', ...addition, '+target'], ['Symbolic link']],
  [['index 1..2 120000', '--- a/x', '+++ b/x', '@@ -1 +1 @@', '-1', '+2'], ['Symbolic link']],
  [['deleted file mode 120000', ...removal, '-target'], ['Symbolic link']],
  [['similarity index 100%', 'rename from w', 'rename to x'], ['Renamed from w']],
  [
    ['similarity index 87%', 'rename from w', 'rename to x'],
    ['Renamed from w', '87 % of it as before'],
  ],
  [
    ['similarity index 90%', 'copy from <w>', 'copy to x'],
    ['Copied from <w>', '90 % of it as before'],
  ],
  [['old mode 100644', 'new mode 120000'], ['Changed from file to symbolic link']],
  [
    [
      ...['deleted file mode 100644', ...removal, '-1'],
      'diff --git a/x b/x',
      ...['new file mode 120000', ...addition, '+t'],
    ],
    ['Changed from file to symbolic link'],
  ],
  [
    [
      'index 1..2 160000',
      '--- a/x',
      '+++ b/x',
      '@@ -1 +1 @@',
      `-Subproject commit ${one}`,
      `+Subproject commit ${other}`,
    ],
    ['Submodule', 'Subproject commit 111111111111..222222222222'],
  ],
  [
    ['new file mode 160000', ...addition, `+Subproject commit ${one}`],
    ['Submodule', 'Subproject commit 111111111111'],
  ],
  [
    ['deleted file mode 160000', ...removal, `-Subproject commit ${one}`],
    ['Submodule', 'Subproject commit 111111111111'],
  ],
  [
    [
      ...['deleted file mode 100644', ...removal, `-Subproject commit ${one}`, 'diff --git a/x b/x'],
      ...['new file mode 160000', ...addition, `+Subproject commit ${other}`],
    ],
    ['Changed from file to submodule', 'Subproject commit 222222222222'],
  ],
  [['index 1..2 100644', '--- a/x', '+++ b/x', '@@ -0,0 +1 @@', `+Subproject commit ${one}`], []],
])('says of %j: %j', (lines, expected) => {
  expect(notes(...lines)).toEqual(expected);
});

it('says how large a binary file was and is, as far as that is known', () => {
  const parser = createDiffParser();
  parser.feed(Buffer.from('diff --git a/x b/x\nBinary files a/x and b/x differ\n'));
  const [file] = parser.end().files;
  const sizes = (...known: readonly (readonly [string, number])[]) => new Map(known);
  const said = (before: Map<string, number>, after: Map<string, number>) => file && notesOf(file, { before, after });
  expect(said(sizes(['x', 5]), sizes(['x', 2_000]))).toEqual(['Binary file, 5 B → 2.0 kB']);
  expect(said(sizes(), sizes(['x', 0]))).toEqual(['Binary file, 0 B']);
  expect(said(sizes(), sizes())).toEqual(['Binary file']);
});
