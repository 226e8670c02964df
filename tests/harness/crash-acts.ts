import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import type { Client } from './client.ts';
import type { Cluster } from './cluster.ts';
import { blobOf, hasBlob, hasLooseObjects } from './loose-objects.ts';
import { makeOnDisk } from './repositories-on-disk.ts';
import { git, hg, type Remote } from './remotes.ts';

export type Type = 'hg' | 'git';

/** The cluster and the remotes that all acts run on. */
export interface Stage {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly sql: Sql;
  readonly remotes: Readonly<Record<Type, Remote>>;
  /** The newest changeset of each remote. */
  readonly newest: Record<Type, string>;
}

/** One case: its stage, a name that no other case has, and a type. */
export interface Case extends Stage {
  readonly name: string;
  readonly type: Type;
}

/** A call of a client, and the check whether the call took effect. */
export interface Act {
  readonly method: string;
  readonly args: (one: Case) => Readonly<Record<string, unknown>>;
  /** Acts as a client of another kind; returns its error, null for success. Repeated, it does nothing that is recorded. */
  readonly run?: (one: Case) => Promise<string | null>;
  /** Makes what the call needs, while a worker without a crash point runs. */
  readonly prepare?: (one: Case) => Promise<unknown>;
  readonly isDone: (one: Case) => Promise<boolean>;
  /** Returns the error of repeating the call after it took effect; absent when the repeated call succeeds. */
  readonly again?: (one: Case) => string;
}

/** Where all repositories are made. */
const storage = 'default';

interface Found {
  readonly fork_of: string | null;
  readonly repo_type: string;
  readonly last_changeset: { readonly raw_id: string };
}

const find = ({ admin }: Stage, repoid: string) => admin.result<Found | null>('get_repo', { repoid });
const missing = (repoid: string) => `repository \`${repoid}\` does not exist`;

async function make({ admin, type }: Case, repo_name: string): Promise<void> {
  await admin.result('create_repo', { repo_name, repo_type: type, storage });
}

async function copyRemote({ admin, type, remotes }: Case, repo_name: string): Promise<void> {
  await admin.result('create_repo', { repo_name, repo_type: type, clone_uri: remotes[type].url, storage });
}

/** Leaves a repository as a write that was cut off does: marked for recovery, with the lock of a dead process. */
async function leaveInterrupted({ sql, cluster, type }: Case, name: string): Promise<void> {
  const [row] = await sql<{ path: string }[]>`
    update repositories set needs_recovery = true where name = ${name} returning storage_path as path`;
  const lock = type === 'git' ? 'packed-refs.lock' : '.hg/store/lock';
  await writeFile(join(cluster.storageRoot, row?.path ?? '', lock), 'gone:1');
}

/** Returns the level of the user `ann` on the repository, from the database; undefined without one. */
async function levelOf({ sql, name }: Case): Promise<number | undefined> {
  const [row] = await sql<{ level: number }[]>`
    select p.level from user_repository_permissions p join users u on u.id = p.user_id
      join repositories r on r.id = p.repository_id where u.username = 'ann' and r.name = ${name}`;
  return row?.level;
}

const grantArgs = ({ name }: Case) => ({ repoid: name, userid: 'ann', perm: 'repository.write' });
const isNewest = async (one: Case) => (await find(one, one.name))?.last_changeset.raw_id === one.newest[one.type];

async function prepareChanged(one: Case): Promise<void> {
  await copyRemote(one, one.name);
  one.newest[one.type] = await one.remotes[one.type].commit({ [one.name]: randomUUID() });
}

const fork: Act = {
  method: 'fork_repo',
  args: ({ name }) => ({ repoid: `${name}-source`, fork_name: `${name}/deep/fork` }),
  prepare: (one) => copyRemote(one, `${one.name}-source`),
  isDone: async (one) => {
    const made = await find(one, `${one.name}/deep/fork`);
    return made?.fork_of === `${one.name}-source` && made.last_changeset.raw_id === one.newest[one.type];
  },
  again: ({ name }) => `fork \`${name}/deep/fork\` already exist`,
};

const pull: Act = {
  method: 'pull',
  args: ({ name }) => ({ repoid: name }),
  prepare: prepareChanged,
  isDone: isNewest,
};

const remove: Act = {
  method: 'delete_repo',
  args: ({ name }) => ({ repoid: name }),
  prepare: (one) => copyRemote(one, one.name),
  isDone: async (one) => (await find(one, one.name)) === null,
  again: ({ name }) => missing(name),
};

const putOnDisk = ({ type, cluster }: Case, name: string) => makeOnDisk[type](join(cluster.storageRoot, name));
const adopt: Act = {
  method: 'rescan_repos',
  args: () => ({}),
  prepare: (one) => putOnDisk(one, `${one.name}/found`),
  isDone: async (one) => (await find(one, `${one.name}/found`))?.repo_type === one.type,
};

const importing: Act = {
  method: 'create_repo',
  args: ({ name, type, remotes }) => ({ repo_name: name, repo_type: type, clone_uri: remotes[type].url, storage }),
  isDone: isNewest,
  again: ({ name }) => `repo \`${name}\` already exist`,
};

const move: Act = {
  method: 'move_repo',
  args: ({ name }) => ({ repoid: name, storage: 'second' }),
  prepare: (one) => copyRemote(one, one.name),
  isDone: async (one) => {
    const [row] = await one.sql<{ storage: string }[]>`
      select s.name as storage from repositories r join storages s on s.id = r.storage_id where r.name = ${one.name}`;
    return row?.storage === 'second' && (await isNewest(one));
  },
  again: () => 'Invalid value for `storage`: the repository is on storage `second` already',
};

async function pathOf({ sql, cluster, name }: Case): Promise<string> {
  const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where name = ${name}`;
  return join(cluster.storageRoot, String(row?.path));
}

const defaultBranch: Act = {
  method: 'update_repo',
  args: ({ name }) => ({ repoid: name, default_branch: 'other' }),
  prepare: async (one) => {
    await copyRemote(one, one.name);
    await writeFile(join(await pathOf(one), 'refs/heads/other'), `${one.newest.git}\n`);
    await one.admin.result('invalidate_cache', { repoid: one.name });
  },
  isDone: async (one) => {
    const head = await readFile(join(await pathOf(one), 'HEAD'), 'utf8');
    const recorded = await one.admin.result<{ default_branch: string }>('get_repo', { repoid: one.name });
    return head === 'ref: refs/heads/other\n' && recorded.default_branch === 'other';
  },
};

/** Returns whether a push ended so because there was nothing to push. */
const hasNothingNew = (error: unknown) =>
  error instanceof Error && 'stdout' in error && String(error.stdout).includes('no changes found');

const push: Act = {
  method: 'push',
  args: () => ({}),
  run: ({ name, admin, cluster, remotes, type }) => {
    const url = `http://api-key:${admin.apiKey}@${new URL(cluster.baseUrl).host}/${name}`;
    const { directory } = remotes[type];
    const pushed =
      type === 'git'
        ? git(directory, 'push', '-q', url, 'HEAD:refs/heads/main')
        : // A push without anything new ends with 1.
          hg(directory, 'push', url).catch((error: unknown) => {
            if (!hasNothingNew(error)) throw error;
          });
    return pushed.then(
      () => null,
      (error: unknown) => String(error),
    );
  },
  prepare: (one) => make(one, one.name),
  isDone: isNewest,
};

const maintain: Act = {
  method: 'maintain_repo',
  args: ({ name }) => ({ repoid: name }),
  prepare: async (one) => {
    await copyRemote(one, one.name);
    await blobOf(await pathOf(one), one.name, '-w');
  },
  isDone: async (one) => !(await hasLooseObjects(await pathOf(one))) && (await isNewest(one)),
};

/** Ids of the deleted repositories by the names of their cases. */
const deletedIds = new Map<string, number>();

const restore: Act = {
  method: 'restore_repo',
  args: ({ name }) => ({ id: deletedIds.get(name) }),
  prepare: async (one) => {
    await copyRemote(one, one.name);
    const { repo_id: id } = await one.admin.result<{ repo_id: number }>('get_repo', { repoid: one.name });
    deletedIds.set(one.name, id);
    await one.admin.result('delete_repo', { repoid: one.name });
  },
  isDone: isNewest,
  again: ({ name }) => `deleted repository \`${deletedIds.get(name)}\` does not exist`,
};

export const acts = {
  maintain,
  removeUnreachable: {
    ...maintain,
    args: ({ name }) => ({ repoid: name, remove_unreachable: true }),
    isDone: async (one) => (await maintain.isDone(one)) && !(await hasBlob(await pathOf(one), one.name)),
  },
  move,
  defaultBranch,
  push,
  create: {
    method: 'create_repo',
    args: ({ name, type }) => ({ repo_name: `${name}/deep/made`, repo_type: type, storage }),
    isDone: async (one) => (await find(one, `${one.name}/deep/made`))?.repo_type === one.type,
    again: ({ name }) => `repo \`${name}/deep/made\` already exist`,
  },
  import: importing,
  fork,
  forkElsewhere: {
    ...fork,
    args: (one) => ({ ...fork.args(one), storage: 'second' }),
  },
  forkOfInterrupted: {
    ...fork,
    prepare: async (one) => {
      await copyRemote(one, `${one.name}-source`);
      await leaveInterrupted(one, `${one.name}-source`);
    },
  },
  pull,
  pullIntoInterrupted: {
    ...pull,
    prepare: async (one) => {
      await prepareChanged(one);
      await leaveInterrupted(one, one.name);
    },
  },
  delete: remove,
  restore,
  deleteFamily: {
    ...remove,
    args: ({ name }) => ({ repoid: name, forks: 'delete' }),
    prepare: async (one) => {
      await make(one, one.name);
      await one.admin.result('fork_repo', { repoid: one.name, fork_name: `${one.name}-fork` });
    },
    isDone: async (one) => (await find(one, one.name)) === null && (await find(one, `${one.name}-fork`)) === null,
  },
  adopt,
  adoptTwo: {
    ...adopt,
    prepare: async (one) => {
      for (const name of ['found', 'then']) await putOnDisk(one, `${one.name}/${name}`);
    },
    isDone: async (one) => (await adopt.isDone(one)) && (await find(one, `${one.name}/then`)) !== null,
  },
  rename: {
    method: 'update_repo',
    args: ({ name }) => ({ repoid: name, name: `${name}-new` }),
    prepare: (one) => make(one, one.name),
    isDone: async (one) => (await find(one, one.name)) === null && (await find(one, `${one.name}-new`)) !== null,
    again: ({ name }) => missing(name),
  },
  renameGroup: {
    method: 'update_repo_group',
    args: ({ name }) => ({ repogroupid: name, group_name: `${name}-new` }),
    prepare: (one) => make(one, `${one.name}/sub/inner`),
    isDone: async (one) =>
      (await find(one, `${one.name}/sub/inner`)) === null && (await find(one, `${one.name}-new/sub/inner`)) !== null,
    again: ({ name }) => `repository group \`${name}\` does not exist`,
  },
  grant: {
    method: 'grant_user_permission',
    args: grantArgs,
    prepare: (one) => make(one, one.name),
    isDone: async (one) => (await levelOf(one)) !== undefined,
  },
  revoke: {
    method: 'revoke_user_permission',
    args: ({ name }) => ({ repoid: name, userid: 'ann' }),
    prepare: async (one) => {
      await make(one, one.name);
      await one.admin.result('grant_user_permission', grantArgs(one));
    },
    isDone: async (one) => (await levelOf(one)) === undefined,
  },
} as const satisfies Record<string, Act>;
