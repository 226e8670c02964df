import { repositoryNameProblem } from '@trunkline/contracts';
import { cleanSegment, freeName } from './plan-names.ts';
import type { Finding } from './finding.ts';

interface Named {
  readonly id: number;
  readonly name: string;
}

interface Paths {
  readonly repoGroups: ReadonlyMap<number, string>;
  /** Without those whose group is not in the source's database. */
  readonly repositories: ReadonlyMap<number, string>;
}

interface KnownPaths {
  readonly repoGroups: ReadonlyMap<number, string>;
  readonly repositories: ReadonlyMap<number, string>;
  /** All names of repositories and groups here. */
  readonly taken: ReadonlySet<string>;
}

const parentOf = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf('/')));
const lastOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);
const depthOf = (name: string) => name.split('/').length;

/**
 * Returns the names of groups and repositories here: a group that is renamed takes along what lies below. Those whose
 * last segment is accepted as it is come before others of their group.
 */
export function planPaths(
  groups: readonly Named[],
  repositories: readonly Named[],
  known: KnownPaths,
  findings: Finding[],
): Paths {
  const taken = new Set(known.taken);
  /** Names of groups here by their names in the source. */
  const groupPaths = new Map([['', '']]);

  const nameOf = (word: string, { name }: Named): string | null => {
    const about = `${word} ${name}`;
    const parent = groupPaths.get(parentOf(name));
    if (parent === undefined) {
      const what = 'its group is not in the database, was deleted here, or is not brought';
      findings.push({ kind: 'refused', about, what });
      return null;
    }
    const clean = cleanSegment(lastOf(name), parent === '');
    const planned = freeName(parent === '' ? clean : `${parent}/${clean}`, (candidate) => taken.has(candidate));
    const problem = repositoryNameProblem(planned);
    if (problem !== undefined) {
      findings.push({ kind: 'refused', about, what: problem });
      return null;
    }
    if (planned !== name) {
      const own = lastOf(planned) !== lastOf(name);
      const what = own ? 'the name is taken or not accepted here' : 'its group has another name here';
      findings.push({ kind: 'renamed', about, what, proposed: planned });
    }
    return planned;
  };
  const planAll = (word: string, all: readonly Named[], before: ReadonlyMap<number, string>) => {
    const planned = new Map<number, string>();
    const clean = ({ name }: Named) => Number(cleanSegment(lastOf(name), !name.includes('/')) !== lastOf(name));
    const ordered = all.toSorted((a, b) => depthOf(a.name) - depthOf(b.name) || clean(a) - clean(b) || a.id - b.id);
    for (const one of ordered) {
      const name = before.get(one.id) ?? nameOf(word, one);
      if (name === null) continue;
      planned.set(one.id, name);
      taken.add(name);
      if (word === 'repository group') groupPaths.set(one.name, name);
    }
    return planned;
  };
  const repoGroups = planAll('repository group', groups, known.repoGroups);
  return { repoGroups, repositories: planAll('repository', repositories, known.repositories) };
}
