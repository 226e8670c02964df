import type { DiffOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { againstFirstParent } from './against-first-parent.ts';
import { diffWords } from './diff-words.ts';
import type { GitContentTools } from './git-content-tools.ts';

/** What a commit changed, as `git show` prints it below the message. */
export function streamDiff(
  { reader, stream }: GitContentTools,
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncIterable<Uint8Array> {
  const args = ['diff-tree', '--stdin', '--root', '--no-commit-id', '-p', ...diffWords(options)];
  return endableStream(async function* (signal) {
    yield* stream(path, args, { input: await againstFirstParent(reader, path, rawId), signal });
  });
}
