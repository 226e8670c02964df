import type { DiffOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgContentTools } from './hg-content-tools.ts';
import { streamExport } from './patch.ts';
import { diffStart, readPatchHead, type PatchHead } from './patch-head.ts';
import { requireComparable } from './require-comparable.ts';

async function* withoutHead(patch: AsyncIterable<Uint8Array>, head: PatchHead): AsyncGenerator<Uint8Array> {
  let begin: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of patch) {
    if (begin === undefined) {
      yield chunk;
      continue;
    }
    begin = Buffer.concat([begin, chunk]);
    const start = diffStart(begin, head);
    if (start === undefined) continue;
    if (start < begin.length) yield begin.subarray(start);
    begin = undefined;
  }
  if (begin !== undefined) throw new VcsError('failed', 'a patch without a head');
}

/** Streams a changeset's patch without its head: `hg diff` itself fails where there are subrepositories. */
export function streamHgDiff(
  { hg, stream }: HgContentTools,
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncIterable<Uint8Array> {
  return endableStream(async function* (signal) {
    const head = await readPatchHead(hg, path, rawId);
    await requireComparable(hg, path, rawId, signal);
    yield* withoutHead(streamExport(stream, path, rawId, options, signal), head);
  });
}
