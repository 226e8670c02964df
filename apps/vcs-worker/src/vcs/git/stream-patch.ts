import type { DiffOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { againstFirstParent } from './against-first-parent.ts';
import { diffArgs } from './diff-args.ts';
import type { GitContentTools } from './git-content-tools.ts';

/** Options for any commit: by default git skips merges and empty commits, and compares with every parent. */
const anyCommit = ['--always', '--no-max-parents', '--first-parent', '--diff-merges=first-parent'];

/** Streams a commit as a mail. Git encodes author and subject, so that neither can add a header. */
export function streamPatch(
  { reader, stream }: GitContentTools,
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncIterable<Uint8Array> {
  const form = ['--stdout', '--no-signature', '--binary', '--full-index', ...diffArgs(options)];
  return endableStream(async function* (signal) {
    await againstFirstParent(reader, path, rawId);
    yield* stream(path, ['format-patch', '-1', ...anyCommit, ...form, '--end-of-options', rawId], { signal });
  });
}
