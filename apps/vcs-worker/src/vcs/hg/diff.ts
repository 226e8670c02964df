import type { DiffOptions } from '../content.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import type { HgStream } from './hg-words.ts';
import { hgPatch } from './patch.ts';
import { diffStart, readPatchHead } from './patch-head.ts';

/** A changeset's diff is what follows the head of its patch: `diff` itself fails where there are subrepositories. */
export async function* hgDiff(
  { hg, stream }: { readonly hg: HgCommands; readonly stream: HgStream },
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncGenerator<Uint8Array> {
  const head = await readPatchHead(hg, path, rawId);
  let begin: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of hgPatch(stream, path, rawId, options)) {
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
