import type { DiffOptions } from '../content.ts';
import type { HgStream } from './hg-words.ts';

/** `export` takes these from its configuration only. */
function diffSettings({ context, ignoreWhitespace }: DiffOptions): readonly string[] {
  return [`--config=diff.unified=${context}`, `--config=diff.ignorews=${ignoreWhitespace ? 'True' : 'False'}`];
}

/** A changeset as `hg import` reads it, against its first parent. */
export function streamHgPatch(
  stream: HgStream,
  path: string,
  rawId: string,
  options: DiffOptions,
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  return stream(path, [...diffSettings(options), 'export', '--git', `--rev=${rawId}`], signal);
}
