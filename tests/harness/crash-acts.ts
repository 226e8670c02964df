import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import type { Client } from './client.ts';
import type { Cluster } from './cluster.ts';
import { drop } from './dropped-repositories.ts';
import type { Remote } from './remotes.ts';

export type Type = 'hg' | 'git';

/** What all acts are played on. */
export interface Stage {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly sql: Sql;
  readonly remotes: Readonly<Record<Type, Remote>>;
  /** The newest changeset of each remote. */
  readonly newest: Record<Type, string>;
}

/** One case: its stage, a name that no other has, and a type. */
export interface Case extends Stage {
  readonly name: string;
  readonly type: Type;
}

/** Something that a client asks for, and how it is seen to have happened. */
export interface Act {
  readonly method: string;
  readonly args: (one: Case) => Readonly<Record<string, unknown>>;
  /** What has to be there before, made by a sound worker. */
  readonly prepare?: (one: Case) => Promise<unknown>;
  readonly isDone: (one: Case) => Promise<boolean>;
  /** The error of the same call after it was done; absent where that succeeds. */
  readonly again?: (one: Case) => string;
}

interface Found {
  readonly fork_of: string | null;
  readonly repo_type: string;
  readonly last_changeset: { readonly raw_id: string };
}

const find = ({ admin }: Stage, repoid: string) => admin.result<Found | null>('get_repo', { repoid });
const missing = (repoid: string) => `repository \`${repoid}\` does not exist`;

async function make({ admin, type }: Case, repo_name: string): Promise<void> {
  await admin.result('create_repo', { repo_name, repo_type: type });
}

async function copyRemote({ admin, type, remotes }: Case, repo_name: string): Promise<void> {
  await admin.result('create_repo', { repo_name, repo_type: type, clone_uri: remotes[type].url });
}

/** Leaves a repository as a write does that was cut off: with a lock of somebody who is no more. */
async function hurt({ sql, cluster, type }: Case, name: string): Promise<void> {
  const [row] = await sql<{ path: string }[]>`
    update repositories set needs_recovery = true where name = ${name} returning storage_path as path`;
  const lock = type === 'git' ? 'packed-refs.lock' : '.hg/store/lock';
  await writeFile(join(cluster.storageRoot, row?.path ?? '', lock), 'gone:1');
}

/** The level that a user was given, by the database. */
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

const dropAt = ({ type, cluster }: Case, name: string) => drop[type](join(cluster.storageRoot, name));
const adopt: Act = {
  method: 'rescan_repos',
  args: () => ({}),
  prepare: (one) => dropAt(one, `${one.name}/found`),
  isDone: async (one) => (await find(one, `${one.name}/found`))?.repo_type === one.type,
};

const importing: Act = {
  method: 'create_repo',
  args: ({ name, type, remotes }) => ({ repo_name: name, repo_type: type, clone_uri: remotes[type].url }),
  isDone: isNewest,
  again: ({ name }) => `repo \`${name}\` already exist`,
};

export const acts = {
  create: {
    method: 'create_repo',
    args: ({ name, type }) => ({ repo_name: `${name}/deep/made`, repo_type: type }),
    isDone: async (one) => (await find(one, `${one.name}/deep/made`))?.repo_type === one.type,
    again: ({ name }) => `repo \`${name}/deep/made\` already exist`,
  },
  import: importing,
  fork,
  forkOfHurt: {
    ...fork,
    prepare: async (one) => {
      await copyRemote(one, `${one.name}-source`);
      await hurt(one, `${one.name}-source`);
    },
  },
  pull,
  pullIntoHurt: {
    ...pull,
    prepare: async (one) => {
      await prepareChanged(one);
      await hurt(one, one.name);
    },
  },
  delete: remove,
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
      for (const name of ['found', 'then']) await dropAt(one, `${one.name}/${name}`);
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

/** What a dead worker has left in a directory of the storage, and a sweep removes. */
export async function leaveBehind({ cluster }: Stage, entries: readonly string[]): Promise<void> {
  for (const entry of entries) {
    await mkdir(join(cluster.storageRoot, entry, 'deep'), { recursive: true });
    await writeFile(join(cluster.storageRoot, entry, 'deep/file'), '');
  }
}
