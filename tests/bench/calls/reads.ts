import type { Random } from '../../harness/random.ts';
import { apiRequest, type SampleFactory } from '../load/bench-request.ts';
import { pickFrom } from '../load/pick.ts';
import type { Stage } from '../stage.ts';

/** Samples calls of a method by a random caller each. */
function callsOf(callers: Stage['people'], method: string, argsOf: (below: Random['below']) => object): SampleFactory {
  return (random) => () => apiRequest(method, pickFrom(callers, random).key, method, argsOf(random.below));
}

/** Reads that the database alone answers. */
export function metadataReads({ people, admins, repositoryIds }: Stage): Readonly<Record<string, SampleFactory>> {
  const repositoryAt = (below: Random['below']) => repositoryIds[below(repositoryIds.length)];
  return {
    'test (no-op)': callsOf(admins, 'test', (below) => ({ args: `${below(2 ** 31)}`.padEnd(64, 'x') })),
    get_repo: callsOf(people, 'get_repo', (below) => ({ repoid: repositoryAt(below) })),
    'get_repos, a page of 50': callsOf(people, 'get_repos', (below) => ({ limit: 50, cursor: repositoryAt(below) })),
  };
}

/** Reads of everything that a caller may read, which the database alone answers, too. */
export function wholeReads({ people, repositoryIds: { length } }: Stage): Readonly<Record<string, SampleFactory>> {
  return {
    [`get_user, ${length} permissions`]: callsOf(people, 'get_user', () => ({})),
    [`get_repos, all ${length}`]: callsOf(people, 'get_repos', () => ({})),
  };
}

/** Reads of what repositories of both types hold. */
export function storageReads({ people, admins, content }: Stage): Readonly<Record<string, SampleFactory>> {
  const call = (method: string, argsOf: (pick: <T>(list: readonly T[]) => T, at: number) => object): SampleFactory => {
    return (random) => () => {
      const at = random.below(content.length);
      const args = argsOf((list) => pickFrom(list, random), at);
      const callers = method === 'get_repo_nodes' ? admins : people;
      return apiRequest(method, pickFrom(callers, random).key, method, { repoid: content[at]?.name, ...args });
    };
  };
  return {
    'get_repo_nodes, a directory': call('get_repo_nodes', (pick, at) => ({
      revision: pick(content[at]?.commits ?? []),
      root_path: pick(content[at]?.directories ?? []),
    })),
    'get_changesets, 10': call('get_changesets', (pick, at) => ({
      start: pick(content[at]?.commits ?? []),
      limit: 10,
    })),
  };
}

/** Bytes by the views that a key opens: files, differences, archives. */
export function contentReads({ people, content }: Stage): Readonly<Record<string, SampleFactory>> {
  const view = (kind: string, pathOf: (commit: string, file: string) => string): SampleFactory => {
    return (random) => () => {
      const { name, commits, files } = pickFrom(content, random);
      // The first changeset, which adds all files, would have differences of another size.
      const path = pathOf(pickFrom(commits.slice(1), random), pickFrom(files, random));
      return { kind, path: `/${name}/${path}?api_key=${pickFrom(people, random).key}` };
    };
  };
  return {
    'file of 10 KB': view('file', (commit, file) => `raw/${commit}/${file}`),
    'difference of a file': view('difference', (commit) => `changeset-diff/${commit}`),
    'archive of 2 MB': view('archive', (commit) => `archive/${commit}.tar`),
  };
}
