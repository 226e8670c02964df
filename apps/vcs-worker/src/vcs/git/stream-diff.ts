import type { DiffOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { againstFirstParent } from './against-first-parent.ts';
import { diffArgs } from './diff-args.ts';
import type { GitContentTools } from './git-content-tools.ts';

/** Streams a commit's diff against its first parent, in the format that `git show` prints below the message. */
export function streamDiff(
  { reader, stream }: GitContentTools,
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncIterable<Uint8Array> {
  const args = ['diff-tree', '--stdin', '--root', '--no-commit-id', '-p', ...diffArgs(options)];
  return endableStream(async function* (signal) {
    yield* stream(path, args, { input: await againstFirstParent(reader, path, rawId), signal });
  });
}
