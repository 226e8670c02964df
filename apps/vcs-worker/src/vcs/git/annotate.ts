import { nameText } from '@trunkline/runtime/text';
import type { Annotation, LineOrigin } from '../content.ts';
import { searchMsMax, toAnnotation, type FoundBlock } from '../file-history.ts';
import { inTime } from '../process/in-time.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitContentTools } from './git-content-tools.ts';

const lineBytesMax = 1024 * 1024;

/** Yields the lines of a stream; a character is a byte. */
async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineBytesMax) throw new VcsError('too-large', `a line of more than ${lineBytesMax} bytes`);
    yield* lines;
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
]);

/** Returns the name in a line of git, which quotes some names, with octal numbers for bytes. */
function nameIn(printed: string): string {
  const [, quoted] = /^"(.*)"$/.exec(printed) ?? [];
  const bytes = quoted?.replaceAll(/\\([0-7]{3}|.)/g, (_, escape: string) =>
    escape.length === 3 ? String.fromCharCode(Number.parseInt(escape, 8) & 0xff) : (escapes.get(escape) ?? escape),
  );
  return nameText(Buffer.from(bytes ?? printed, 'latin1'));
}

interface NumberedBlock extends FoundBlock {
  readonly line: number;
}

/** Parses `blame --incremental`: for each block a line of numbers, lines about the commit, and last that of the file. */
async function readBlocks(lines: AsyncIterable<string>): Promise<NumberedBlock[]> {
  const blocks: NumberedBlock[] = [];
  let numbers: readonly string[] = [];
  let before: LineOrigin['before'] = null;
  for await (const line of lines) {
    if (/^[0-9a-f]{40} \d+ \d+ \d+$/.test(line)) {
      numbers = line.split(' ');
      before = null;
    } else if (line.startsWith('previous ')) {
      before = { rawId: line.slice(9, 49), path: nameIn(line.slice(50)) };
    } else if (line.startsWith('filename ')) {
      const [rawId = '', originLine, first, count] = numbers;
      const origin = { rawId, path: nameIn(line.slice(9)), before };
      blocks.push({ line: Number(first), lines: Number(count), origin, originLine: Number(originLine) });
    }
  }
  return blocks;
}

/** Finds the commits that have written the lines of a file. */
export async function annotateFile(
  { stream }: GitContentTools,
  path: string,
  rawId: string,
  file: string,
): Promise<Annotation> {
  const args = ['blame', '--incremental', '--no-textconv', rawId, '--'];
  const blocks = await readBlocks(linesOf(inTime(searchMsMax, (signal) => stream(path, args, { file, signal }))));
  return toAnnotation(blocks.toSorted((one, other) => one.line - other.line));
}
