import { decodeText, nameText } from '@trunkline/runtime/text';
import { collectBytes } from '../../collect-bytes.ts';
import { changesetDate } from '../changeset-date.ts';
import { toListedChangeset, type LastChanges, type ListedChangeset } from '../last-changes.ts';
import { toolFailure } from '../process/tool-failure.ts';
import { normalizeRoot } from '../root-path.ts';
import type { HgContentTools } from './hg-stream.ts';

/** Time on a kept server, which others wait for; a process of its own walks a history that takes longer. */
const keptMsMax = 500;

/** Parses what the extension prints. */
function parseLastChanges(output: Buffer): LastChanges {
  // One character for each byte.
  const fields = output.toString('latin1').split('\0');
  const bytesAt = (at: number) => Buffer.from(fields[at] ?? '', 'latin1');
  const entries = new Map<string, ListedChangeset>();
  let newest: ListedChangeset | null = null;
  for (let at = 0; at + 4 < fields.length; at += 1) {
    const changeset = toListedChangeset({
      rawId: fields[at] ?? '',
      date: changesetDate(Number(fields[at + 1])),
      author: decodeText(bytesAt(at + 2)),
      message: decodeText(bytesAt(at + 3)),
    });
    newest ??= changeset;
    for (at += 4; fields[at] !== '' && at < fields.length; at += 1) entries.set(nameText(bytesAt(at)), changeset);
  }
  return { newest, entries };
}

/**
 * Returns the last changes of a directory by one walk of the changesets, newest first, which ends as soon as all entries
 * are found. They are the newest changesets that list a file: of a file that branches changed differently, too.
 */
export async function readHgLastChanges(
  { hg, stream, lastChangesExtension }: HgContentTools,
  path: string,
  rawId: string,
  asked: string,
): Promise<LastChanges> {
  const directory = normalizeRoot(asked);
  const command = ['trunkline-last-changes', `--rev=${rawId}`];
  const below = directory === '' ? [] : ['--', directory];
  const { exitCode, stdout, stderr } = await hg.tryRun(path, [...command, `--milliseconds=${keptMsMax}`, ...below]);
  if (exitCode === 0) return parseLastChanges(stdout);
  if (exitCode !== 1) throw toolFailure(`hg ${command[0]} ended with ${exitCode}`, stderr);
  const settings = [`--config=extensions.last_changes=${lastChangesExtension}`];
  return parseLastChanges(await collectBytes(stream(path, [...settings, ...command, ...below])));
}
