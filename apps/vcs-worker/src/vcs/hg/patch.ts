import type { DiffOptions } from '../content.ts';
import type { HgStream } from './hg-argv.ts';

/** Returns the options of a diff as settings, since `hg export` reads them from its configuration alone. */
function diffSettings({ context, ignoreWhitespace }: DiffOptions): readonly string[] {
  return [`--config=diff.unified=${context}`, `--config=diff.ignorews=${ignoreWhitespace ? 'True' : 'False'}`];
}

/** Streams a changeset as a patch for `hg import`, against its first parent. */
export function streamHgPatch(
  stream: HgStream,
  path: string,
  rawId: string,
  options: DiffOptions,
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  return stream(path, [...diffSettings(options), 'export', '--git', `--rev=${rawId}`], signal);
}
