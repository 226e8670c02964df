import type { DescribedRef, VcsReads } from '../backend.ts';
import { changesetDate } from '../changeset-date.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { readHgChangesets } from './hg-log.ts';
import type { HgStream } from './hg-stream.ts';

/** Returns the times of all that bookmarks, branches and tags name: a branch names one of its heads. */
export async function readHgRefTimes(hg: HgCommands, path: string): Promise<Map<string, number>> {
  const args = ['log', '--rev=head()+bookmark()+tag()', '--template={node} {date|hgdate}\n'];
  const lines = (await hg.run(path, args)).toString('latin1').split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [id = '', seconds] = line.split(' ');
      return [id, changesetDate(Number(seconds)).getTime()];
    }),
  );
}

/** Describes references in one command. Mercurial itself has no messages of tags, and no signatures. */
export async function describeHgRefs(
  hg: HgCommands,
  path: string,
  refs: Parameters<VcsReads['describeRefs']>[1],
): Promise<DescribedRef[]> {
  const rawIds = [...new Set(refs.map(({ rawId }) => rawId))];
  const entries = await readHgChangesets(hg, path, rawIds).catch((error: unknown) => {
    if (error instanceof VcsError && error.kind === 'too-large') return [];
    throw error;
  });
  const found = new Map(entries.map((entry) => [entry.rawId, entry]));
  return refs.map(({ rawId }) => {
    const { author, date, message } = found.get(rawId) ?? {};
    const changeset =
      author === undefined || !date || message === undefined ? null : { author, date, message, isSigned: false };
    return { changeset, tag: null };
  });
}

/** Walks in one command from the newest changesets to what all have in common, in the order of numbers. */
export function hgParentLines(
  stream: HgStream,
  path: string,
  rawIds: readonly string[],
  until: AbortSignal,
): AsyncIterable<Uint8Array> {
  const ids = rawIds.map((id) => `id("${id}")`);
  const revset = `sort(only(${ids.join('+')}, ancestor(${ids.join(', ')})), -rev)`;
  return stream(path, ['log', `--rev=${revset}`, '--template={node} {p1node} {p2node}\n'], until);
}
