import { parseRevision } from '../revision.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';

const revisionMax = 2 ** 31 - 2;
/** Mercurial's own stand-in for the working directory. */
const workingDirectory = 'f'.repeat(40);

/** The one changeset of an expression built by us; null when there is none. */
async function only(hg: HgCommands, path: string, expression: string): Promise<string | null> {
  const output = await hg.read(path, ['log', `--rev=${expression}`, '--template={node}\n']);
  const [id = null, ...others] = output.toString().split('\n').filter(Boolean);
  return others.length === 0 ? id : null;
}

/** A name inside an expression, taken as it is. */
export function literal(name: string): string {
  return `"literal:${name.replaceAll(/[\\"]/g, '\\$&')}"`;
}

async function byName(hg: HgCommands, path: string, name: string): Promise<string | null> {
  const quoted = literal(name);
  return (
    (await only(hg, path, `present(bookmark(${quoted}))`)) ??
    (await only(hg, path, `max(present(branch(${quoted})) and head() and not closed())`)) ??
    (await only(hg, path, `max(present(branch(${quoted})))`)) ??
    (await only(hg, path, `present(tag(${quoted}))`))
  );
}

async function tip(hg: HgCommands, path: string): Promise<string | null> {
  const rawId = await only(hg, path, 'tip');
  return rawId === '0'.repeat(40) ? null : rawId;
}

/** The full id of the changeset that a user's revision names. */
export async function resolveHgRevision(hg: HgCommands, path: string, sent: string | number | null): Promise<string> {
  const revision = parseRevision(sent);
  const find = async (): Promise<string | null> => {
    switch (revision?.kind) {
      case 'tip':
        return tip(hg, path);
      case 'id':
        return revision.rawId === workingDirectory ? null : only(hg, path, `id("${revision.rawId}")`);
      case 'number':
        return revision.number > revisionMax ? null : only(hg, path, `rev(${revision.number})`);
      case 'name':
        return (
          (await byName(hg, path, revision.name)) ??
          (revision.prefix && (await only(hg, path, `id("${revision.prefix}")`)))
        );
      case undefined:
        return null;
    }
  };
  const rawId = await find();
  if (rawId && rawId !== '0'.repeat(40) && rawId !== workingDirectory) return rawId;
  throw new VcsError(revision?.kind === 'tip' ? 'empty-repository' : 'unknown-revision', 'no such changeset');
}
