import type { DiffOptions } from '../content.ts';
import { diffArgs } from './diff-args.ts';
import type { GitContentTools } from './git-content-tools.ts';

/** Options for any commit: by default git skips merges and empty commits, and compares with every parent. */
const anyCommit = ['--always', '--no-max-parents', '--first-parent', '--diff-merges=first-parent'];

/** Streams a commit as a mail. Git encodes author and subject, so that neither can add a header. */
export function streamPatch(
  { stream }: GitContentTools,
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncIterable<Uint8Array> {
  const form = ['--stdout', '--no-signature', '--binary', '--full-index', ...diffArgs(options)];
  return stream(path, ['format-patch', '-1', ...anyCommit, ...form, '--end-of-options', rawId]);
}
