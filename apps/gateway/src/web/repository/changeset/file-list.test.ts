import type { HistoryRecord } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { createDiffParser, diffLimits } from '../../render/diff/parse-diff.ts';
import { changedFiles, filesOf } from './file-list.tsx';

const changeset: HistoryRecord = {
  ...{ short_id: '', raw_id: '', revision: 0, message: '', date: '', author: '', parents: [], branch: null },
  ...{ added: ['new', 'x'], changed: ['b'], removed: ['old', 'gone'] },
};
const diff = `diff --git a/b b/b
--- a/b
+++ b/b
@@ -1 +1,2 @@
-a
+b
+c
diff --git a/old b/new
similarity index 100%
rename from old
rename to new
`;

function files(lines: number) {
  const parser = createDiffParser({ ...diffLimits, lines });
  parser.feed(Buffer.from(diff));
  return changedFiles(changeset, parser.end()).map(({ path, change, shown, counts }) => [
    ...[path, change, shown?.index ?? null],
    counts && `+${counts.added} -${counts.removed}`,
  ]);
}

it('lists every file once, a renamed one under its new name, with its change and line counts from the diff', () => {
  expect(files(100)).toEqual([
    ['b', 'changed', 0, '+2 -1'],
    ['gone', 'removed', null, null],
    ['new', 'renamed', 1, '+0 -0'],
    ['x', 'added', null, null],
  ]);
});

it('gives no line counts for a file whose diff was not read to its end', () => {
  expect(files(2)[0]).toEqual(['b', 'changed', 0, null]);
});

it('lists the files of a diff alone', () => {
  const parser = createDiffParser();
  parser.feed(Buffer.from(`${diff}diff --git a/z b/z\nold mode 100644\nnew mode 100755\n`));
  expect(filesOf(parser.end()).map(({ path, change }) => [path, change])).toEqual([
    ['b', 'changed'],
    ['new', 'renamed'],
    ['z', 'mode'],
  ]);
});
