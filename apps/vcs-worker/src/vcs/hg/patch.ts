import type { DiffOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import type { HgStream } from './hg-stream.ts';
import type { HgContentTools } from './hg-content-tools.ts';
import { requireComparable } from './require-comparable.ts';

/** Returns the options of a diff as settings, since `hg export` reads them from its configuration alone. */
function diffSettings({ context, ignoreWhitespace }: DiffOptions): readonly string[] {
  return [`--config=diff.unified=${context}`, `--config=diff.ignorews=${ignoreWhitespace ? 'True' : 'False'}`];
}

/** Streams what `hg export` prints of a changeset that `requireComparable` has passed. */
export function streamExport(
  stream: HgStream,
  path: string,
  rawId: string,
  options: DiffOptions,
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  return stream(path, [...diffSettings(options), 'export', '--git', `--rev=${rawId}`], signal);
}

/** Streams a changeset as a patch for `hg import`, against its first parent. */
export function streamHgPatch(
  { hg, stream }: HgContentTools,
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncIterable<Uint8Array> {
  return endableStream(async function* (signal) {
    await requireComparable(hg, path, rawId, signal);
    yield* streamExport(stream, path, rawId, options, signal);
  });
}
