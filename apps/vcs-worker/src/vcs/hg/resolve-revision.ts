import { parseFullName, parseRevision, type FullName } from '../revision.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';

const revisionMax = 2 ** 31 - 2;
/** The ids that stand for no changeset and for the working directory in Mercurial. */
const noChangesets = ['0'.repeat(40), 'f'.repeat(40)];

/** Returns the id of the only changeset of a revset that Trunkline has built; null when there is none or several. */
async function findOne(hg: HgCommands, path: string, expression: string): Promise<string | null> {
  const output = await hg.run(path, ['log', `--rev=${expression}`, '--template={node}\n']);
  const [id = null, ...others] = output.toString().split('\n').filter(Boolean);
  return id === null || others.length > 0 || noChangesets.includes(id) ? null : id;
}

/** Quotes a name for a revset, in which Mercurial then takes it literally. */
export function literal(name: string): string {
  return `"literal:${name.replaceAll(/[\\"]/g, '\\$&')}"`;
}

async function ofKind(hg: HgCommands, path: string, { kind, name }: FullName): Promise<string | null> {
  const quoted = literal(name);
  if (kind !== 'branch') return findOne(hg, path, `present(${kind}(${quoted}))`);
  return (
    (await findOne(hg, path, `max(present(branch(${quoted})) and head() and not closed())`)) ??
    findOne(hg, path, `max(present(branch(${quoted})))`)
  );
}

async function byName(hg: HgCommands, path: string, name: string): Promise<string | null> {
  const full = parseFullName('hg', name);
  const meanings = (['bookmark', 'branch', 'tag'] as const).map((kind) => ({ kind, name }));
  for (const meaning of full ? [full, ...meanings] : meanings) {
    const rawId = await ofKind(hg, path, meaning);
    if (rawId) return rawId;
  }
  return null;
}

/** Returns the id of the only changeset whose id begins with these hexadecimal digits; null when there is none or several. */
export async function findByPrefix(hg: HgCommands, path: string, prefix: string): Promise<string | null> {
  return findOne(hg, path, `id("${prefix}")`);
}

/** Returns the full id of a user's revision; VcsError `empty-repository` or `unknown-revision` when it names none. */
export async function resolveHgRevision(
  hg: HgCommands,
  path: string,
  requested: string | number | null,
): Promise<string> {
  const revision = parseRevision(requested);
  const find = async (): Promise<string | null> => {
    switch (revision?.kind) {
      case 'tip':
        return findOne(hg, path, 'tip');
      case 'id':
        return findByPrefix(hg, path, revision.rawId);
      case 'number':
        return revision.number > revisionMax ? null : findOne(hg, path, `rev(${revision.number})`);
      case 'name':
        return (
          (await byName(hg, path, revision.name)) ??
          (revision.prefix && (await findByPrefix(hg, path, revision.prefix)))
        );
      case undefined:
        return null;
    }
  };
  const rawId = await find();
  if (rawId) return rawId;
  throw new VcsError(revision?.kind === 'tip' ? 'empty-repository' : 'unknown-revision', 'no such changeset');
}
