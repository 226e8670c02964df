import * as v from 'valibot';
import type { HistoryEntry } from '../backend.ts';
import { changesetDate } from '../changeset-date.ts';
import { VcsError } from '../vcs-error.ts';

/** The null id, which stands for no changeset. */
export const noChangeset = '0'.repeat(40);

/** Decodes the lone surrogates with which Mercurial escapes bytes that are no UTF-8; such bytes become U+FFFD. */
function readable(text: string): string {
  return text.replaceAll(/[\udc80-\udcff]+/gu, (escaped) =>
    Buffer.from(Array.from(escaped, (unit) => unit.charCodeAt(0) & 0xff)).toString('utf8'),
  );
}

const shown = v.pipe(v.string(), v.transform(readable));

const Entry = v.object({
  rev: v.number(),
  node: v.string(),
  user: shown,
  date: v.tuple([v.number(), v.number()]),
  branch: shown,
  desc: shown,
  parents: v.array(v.string()),
  modified: v.optional(v.array(shown)),
  added: v.optional(v.array(shown)),
  removed: v.optional(v.array(shown)),
});

function toEntry({ node, rev, user, date, ...rest }: v.InferOutput<typeof Entry>): HistoryEntry {
  const { added, modified: changed, removed } = rest;
  return {
    rawId: node,
    revision: rev,
    author: user,
    date: changesetDate(date[0]),
    message: rest.desc,
    parents: rest.parents.filter((id) => id !== noChangeset),
    branch: rest.branch,
    files: added && changed && removed ? { added, changed, removed } : null,
  };
}

/** Parses the JSON that `hg log` prints; throws VcsError `failed` for any other output. */
export function parseLog(output: Buffer): HistoryEntry[] {
  try {
    return v.parse(v.array(Entry), JSON.parse(output.toString('utf8'))).map(toEntry);
  } catch (cause) {
    throw new VcsError('failed', 'hg log printed no changesets', { cause });
  }
}
