import type { DiffOptions } from '../content.ts';
import { diffWords } from './diff-words.ts';
import type { GitContentTools } from './git-content-tools.ts';

/** Of itself it leaves out merges and commits without changes, and compares with every parent. */
const anyCommit = ['--always', '--no-max-parents', '--first-parent', '--diff-merges=first-parent'];

/** A commit as a mail. Git encodes what of an author or a message could pass for another header. */
export function streamPatch(
  { stream }: GitContentTools,
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncIterable<Uint8Array> {
  const form = ['--stdout', '--no-signature', '--binary', '--full-index', ...diffWords(options)];
  return stream(path, ['format-patch', '-1', ...anyCommit, ...form, '--end-of-options', rawId]);
}
