import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { noChangeset } from './parse-log.ts';

/** The facts that give the length of a patch's head: the text that `hg export` prints before the diff. */
export interface PatchHead {
  readonly rawId: string;
  readonly parents: number;
  /** The changeset's message, which neither begins nor ends with white space. */
  readonly message: Buffer;
}

const parentLineBytes = `# Parent  ${noChangeset}\n`.length;
const whitespace = new Set(Buffer.from(' \t\n\r\v\f'));
const blankLineBytes = 2;

export async function readPatchHead(hg: HgCommands, path: string, rawId: string): Promise<PatchHead> {
  const output = await hg.run(path, ['log', `--rev=id("${rawId}")`, '--template={p1node}{p2node}{desc}']);
  const parents = [output.toString('latin1', 0, 40), output.toString('latin1', 40, 80)];
  const known = parents.filter((id) => id !== noChangeset).length;
  // The patch of a root changeset has one parent line, too: it names the null id.
  return { rawId, parents: Math.max(known, 1), message: output.subarray(80) };
}

/** Returns the offset of the diff in a patch; undefined when more of the patch is needed to find it. */
export function diffStart(patch: Buffer, { rawId, parents, message }: PatchHead): number | undefined {
  const idLine = `\n# Node ID ${rawId}\n`;
  const at = patch.indexOf(idLine);
  if (at === -1) return undefined;
  let begin = at + idLine.length + parents * parentLineBytes;
  while (message.length > 0 && whitespace.has(patch[begin] ?? -1)) begin += 1;
  const end = begin + message.length;
  if (patch.length < end + blankLineBytes) return undefined;
  if (!patch.subarray(begin, end).equals(message)) throw new VcsError('failed', 'a patch with another message');
  return end + blankLineBytes;
}
