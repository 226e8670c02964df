import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { git } from './remotes.ts';
import { type Act, type Case, find, isNewest, make, pathOf, storage } from './crash-case.ts';
import { replace } from './crash-imports.ts';
import { push, pushMany, pushUpdate } from './crash-pushes.ts';
import { makeOnDisk } from './repositories-on-disk.ts';

/** Returns the id of a blob of this text; with `-w`, writes it into a git repository, in which nothing leads to it. */
async function blobOf(path: string, text: string, ...options: string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-blob-'));
  try {
    await writeFile(join(directory, 'blob'), text);
    return (await git(path, 'hash-object', ...options, join(directory, 'blob'))).trim();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns whether some objects of a git repository are in no pack. */
async function hasLooseObjects(path: string): Promise<boolean> {
  const entries = await readdir(join(path, 'objects'), { recursive: true });
  return entries.some((entry) => /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(entry));
}

/** Returns whether a git repository has a blob of this text, reachable or not. */
async function hasBlob(path: string, text: string): Promise<boolean> {
  const objects = await git(path, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
  return objects.includes(await blobOf(path, text));
}

const missing = (repoid: string) => `repository \`${repoid}\` does not exist`;

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
  pushUpdate,
  pushMany,
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
  replace,
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
