import type { Random } from './random.ts';

/** A call of a load, and the errors with which the service may refuse the call. */
export interface LoadCall {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Error texts that are right in some order of the calls. */
  readonly refusals: readonly string[];
  /** The setting that the call changes, and its new value; of several calls the last one counts. */
  readonly sets?: { readonly what: string; readonly value: string | null };
}

/** Users, user groups and repositories that calls may name. */
export interface Fixture {
  readonly users: readonly [string, ...string[]];
  readonly userGroups: readonly [string, ...string[]];
  /** Repositories to be forked, which exist during the whole load. */
  readonly sources: readonly [string, ...string[]];
  /** Ids of the sources. */
  readonly sourceIds: readonly [number, ...number[]];
  /** Sources that have a remote. */
  readonly pulled: readonly string[];
  /** Ids of other repositories, the newest last; some of these repositories have been deleted. */
  readonly ids: number[];
}

const names = ['', 'g1/', 'g2/', 'g3/sub/'].flatMap((group) => ['x', 'y', 'z'].map((last) => `${group}${last}`));
const [firstName = '', ...otherNames] = names;
const groups = ['g1', 'g2', 'g3/sub'] as const;
/** Group that failing imports create and remove again; at times a repository has this name. */
const contestedGroup = 'contested';

const anyName = (random: Random): string => random.pick([firstName, ...otherNames]);
const newName = (random: Random): string =>
  random.pick([contestedGroup, `${contestedGroup}/deep/x`, ...Array.from(names)]);

/** Samples a repository by name or by id; the repository of an id may have been deleted. */
function anyReference({ ids }: Fixture, random: Random): string | number {
  const id = ids.at(-1 - random.below(15));
  return id === undefined || random.below(4) > 0 ? anyName(random) : id;
}

const missing = (repoid: string | number) => `repository \`${repoid}\` does not exist`;
const taken = (name: string) => [`repo \`${name}\` already exist`, `fork \`${name}\` already exist`];
/** Returns the refusals of a name below `contestedGroup`, which begin with the failure texts of the call. */
const below = (name: string, failures: readonly string[]) =>
  name.startsWith(`${contestedGroup}/`)
    ? failures.map((failure) => `${failure}: \`${contestedGroup}\` is a repository`)
    : [];
const creationFailure = (name: string) => `failed to create repository \`${name}\``;
/** Returns the refusal of a remote whose port is closed. */
const unreachable = (name: string) => `${creationFailure(name)}: unreachable`;
/** Returns the names that a reference may stand for. */
const named = (reference: string | number, known: readonly string[] = []) =>
  typeof reference === 'string'
    ? [reference]
    : [...known, ...names, contestedGroup, `${contestedGroup}/deep/x`, `${contestedGroup}/deep/y`];

const perms = ['none', 'read', 'write', 'admin'].map((level) => `repository.${level}`);
const [firstPerm = '', ...otherPerms] = perms;

type Sample = (fixture: Fixture, random: Random) => LoadCall;

const create: Sample = (_, random) => {
  const name = newName(random);
  return {
    method: 'create_repo',
    args: { repo_name: name, repo_type: random.pick(['hg', 'git']) },
    refusals: [...taken(name), ...below(name, [creationFailure(name)])],
  };
};

const failingImport: Sample = (_, random) => {
  const name = `${contestedGroup}/deep/${random.pick(['x', 'y'])}`;
  return {
    method: 'create_repo',
    args: { repo_name: name, repo_type: 'git', clone_uri: 'http://127.0.0.1:1/nothing' },
    refusals: [unreachable(name), ...taken(name), ...below(name, [creationFailure(name)])],
  };
};

const fork: Sample = (fixture, random) => {
  const repoid = random.below(2) === 0 ? random.pick(fixture.sources) : anyReference(fixture, random);
  const name = newName(random);
  const failures = named(repoid, fixture.sources).map(
    (source) => `failed to fork repository \`${source}\` as \`${name}\``,
  );
  return {
    method: 'fork_repo',
    args: { repoid, fork_name: name, copy_permissions: random.below(2) === 0 },
    refusals: [missing(repoid), ...taken(name), ...below(name, failures)],
  };
};

const rename: Sample = (fixture, random) => {
  const repoid = anyReference(fixture, random);
  return {
    method: 'update_repo',
    args: { repoid, name: random.pick(['x', 'y', 'z']) },
    refusals: [missing(repoid), `failed to update repo \`${repoid}\``],
  };
};

const move: Sample = (fixture, random) => {
  const repoid = anyReference(fixture, random);
  const group = random.pick(groups);
  return {
    method: 'update_repo',
    args: { repoid, group },
    refusals: [missing(repoid), `failed to update repo \`${repoid}\``, `repository group \`${group}\` does not exist`],
  };
};

const remove: Sample = (fixture, random) => {
  const repoid = anyReference(fixture, random);
  return {
    method: 'delete_repo',
    args: { repoid, forks: random.pick(['', 'detach', 'delete']) },
    refusals: [
      missing(repoid),
      ...named(repoid).map((name) => `Cannot delete \`${name}\` it still contains attached forks`),
    ],
  };
};

/** Samples a call with the id of a repository: afterwards each level and lock belongs to a known repository. */
function onId(fixture: Fixture, random: Random, sample: (repoid: number) => Omit<LoadCall, 'refusals'>): LoadCall {
  const repoid = random.below(3) === 0 ? random.pick(fixture.sourceIds) : (fixture.ids.at(-1 - random.below(12)) ?? 0);
  return { ...sample(repoid), refusals: [missing(repoid)] };
}

const grant: Sample = (fixture, random) =>
  onId(fixture, random, (repoid) => {
    const userid = random.pick(fixture.users);
    const what = `${repoid} user ${userid}`;
    if (random.below(3) === 0) {
      return { method: 'revoke_user_permission', args: { repoid, userid }, sets: { what, value: null } };
    }
    const perm = random.pick([firstPerm, ...otherPerms]);
    return { method: 'grant_user_permission', args: { repoid, userid, perm }, sets: { what, value: perm } };
  });

const grantGroup: Sample = (fixture, random) =>
  onId(fixture, random, (repoid) => {
    const usersgroupid = random.pick(fixture.userGroups);
    const what = `${repoid} users_group ${usersgroupid}`;
    if (random.below(3) === 0) {
      return { method: 'revoke_user_group_permission', args: { repoid, usersgroupid }, sets: { what, value: null } };
    }
    const perm = random.pick([firstPerm, ...otherPerms]);
    return { method: 'grant_user_group_permission', args: { repoid, usersgroupid, perm }, sets: { what, value: perm } };
  });

const lock: Sample = (fixture, random) =>
  onId(fixture, random, (repoid) => {
    const userid = random.pick(fixture.users);
    const locked = random.below(3) > 0;
    return {
      method: 'lock',
      args: { repoid, userid, locked },
      sets: { what: `${repoid} lock`, value: locked ? userid : null },
    };
  });

const pull: Sample = (fixture, random) => {
  const [first, ...others] = fixture.pulled;
  if (first === undefined) return read(fixture, random);
  const repoid = random.pick([first, ...others]);
  return { method: 'pull', args: { repoid }, refusals: [`Unable to pull changes from \`${repoid}\``] };
};

const read: Sample = (fixture, random) => {
  const repoid = anyReference(fixture, random);
  return { method: 'get_repo', args: { repoid }, refusals: [] };
};

const list: Sample = () => ({ method: 'get_repos', args: {}, refusals: [] });

const weights: readonly (readonly [number, Sample])[] = [
  [16, create],
  [3, failingImport],
  [12, fork],
  [10, rename],
  [10, move],
  [12, remove],
  [16, grant],
  [8, grantGroup],
  [8, lock],
  [6, pull],
  [5, read],
  [2, list],
];
const [firstSample = create, ...otherSamples] = weights.flatMap(([weight, sample]) =>
  Array.from({ length: weight }, () => sample),
);

export function sampleCall(fixture: Fixture, random: Random): LoadCall {
  return random.pick([firstSample, ...otherSamples])(fixture, random);
}
