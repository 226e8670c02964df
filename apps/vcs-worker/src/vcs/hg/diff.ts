import { nameBytes } from '@trunkline/runtime/text';
import type { DiffOptions, PatchOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { noChangeset } from './hg-log.ts';
import type { HgContentTools } from './hg-stream.ts';
import { requireComparableSizes } from './comparable-sizes.ts';

/** The facts that give the length of a patch's head: the text that `hg export` prints before the diff. */
interface PatchHead {
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

/** Settings against those of the operator's own that would change a diff. */
export const fixedDiffSettings = [
  '--config=diff.git=False',
  '--config=diff.ignoreblanklines=False',
  '--config=diff.ignorews=False',
  '--config=diff.ignorewsamount=False',
  '--config=diff.ignorewseol=False',
  '--config=diff.nodates=False',
  '--config=diff.showfunc=False',
  '--config=experimental.extendedheader.similarity=False',
  '--config=experimental.xdiff=False',
];

interface ExportOptions extends DiffOptions {
  /** Whether `git apply` has to understand the diff. */
  readonly forGit: boolean;
}

/** Returns the options of a diff as settings, since `hg export` reads them from its configuration alone. */
function diffSettings({ context, ignoreWhitespace, binary, forGit, paths = [] }: ExportOptions): readonly string[] {
  return [
    ...fixedDiffSettings,
    `--config=diff.unified=${context}`,
    `--config=diff.ignorews=${ignoreWhitespace ? 'True' : 'False'}`,
    `--config=trunkline.for-git=${forGit ? 'True' : 'False'}`,
    `--config=trunkline.paths=${paths.map((path) => nameBytes(path).toString('hex')).join(' ')}`,
    // Prints the mode of a file that is shown, which tells a symbolic link from a file.
    `--config=experimental.extendedheader.index=${binary ? 'none' : 'short'}`,
  ];
}

/** Streams what a command prints of a difference that `requireComparableSizes` has passed. */
function streamPrinted(
  { stream, diffExtension }: HgContentTools,
  path: string,
  command: readonly string[],
  options: ExportOptions,
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  const settings = [`--config=extensions.diffs=${diffExtension}`, ...diffSettings(options)];
  const form = ['--git', ...(options.binary ? [] : ['--no-binary'])];
  return stream(path, [...settings, ...command, ...form], signal);
}

function streamExport(
  tools: HgContentTools,
  path: string,
  rawId: string,
  options: ExportOptions,
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  const against = options.parent === 2 ? ['--switch-parent'] : [];
  return streamPrinted(tools, path, ['export', ...against, `--rev=${rawId}`], options, signal);
}

/** Streams a changeset as a patch for `hg import`, against its first parent. */
export function streamHgPatch(
  tools: HgContentTools,
  path: string,
  rawId: string,
  options: PatchOptions,
): AsyncIterable<Uint8Array> {
  return endableStream(async function* (signal) {
    await requireComparableSizes(tools.hg, path, rawId, { signal });
    yield* streamExport(tools, path, rawId, { ...options, binary: true, forGit: false }, signal);
  });
}

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

/**
 * Streams a changeset's patch without its head or, where another changeset than its first parent is meant, what our own
 * command prints: `hg diff` itself fails where there are subrepositories.
 */
export function streamHgDiff(
  tools: HgContentTools,
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncIterable<Uint8Array> {
  const form = { ...options, forGit: options.binary };
  const { base } = options;
  return endableStream(async function* (signal) {
    if (base !== undefined) {
      await requireComparableSizes(tools.hg, path, rawId, { base, signal });
      yield* streamPrinted(tools, path, ['trunkline-diff', `--base=${base ?? 'null'}`, `--rev=${rawId}`], form, signal);
      return;
    }
    const { parent = 1 } = options;
    const head = await readPatchHead(tools.hg, path, rawId);
    if (parent > head.parents) throw new VcsError('unknown-revision', 'no such parent');
    await requireComparableSizes(tools.hg, path, rawId, { signal, parent });
    yield* withoutHead(streamExport(tools, path, rawId, form, signal), head);
  });
}
