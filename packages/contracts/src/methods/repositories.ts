import * as v from 'valibot';
import { optional, required, secret, withValues } from '../args/arg.ts';
import { entityRef, flag, nameText, revision, text } from '../args/schemas.ts';
import { cursorAfter, landingRevMeaning, limit, revisionMeaning, targetUser } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';
import {
  NodeRecord,
  RepositoryDetailsRecord,
  RepositoryRecord,
  RepositoryWithChangesetRecord,
} from '../records/repository.ts';
import { Outcome } from '../records/parts.ts';

const repoid = required(entityRef, 'Repository name or id');

export const getRepo = defineMethod({
  name: 'get_repo',
  summary: 'Returns one repository with its last changeset, members and followers; null when it does not exist.',
  permission: { caller: 'any', repository: 'read' },
  lane: 'metadata',
  access: 'read',
  args: { repoid },
  result: v.nullable(RepositoryDetailsRecord),
});

export const getRepos = defineMethod({
  name: 'get_repos',
  summary:
    'Lists the repositories that the caller can read, by id, with their last changesets; messages are cut to 10,000 characters.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: { limit, cursor: cursorAfter('repo_id') },
  result: v.array(RepositoryWithChangesetRecord),
});

export const getRepoNodes = defineMethod({
  name: 'get_repo_nodes',
  summary:
    'Lists the files and directories below a path at a revision, with full paths, directories first. A symbolic link is a file; submodules and subrepositories are left out.',
  permission: { caller: 'admin', repository: 'admin' },
  lane: 'storage',
  access: 'read',
  args: {
    repoid,
    revision: required(revision, revisionMeaning),
    root_path: required(v.nullable(text(4_096)), 'Directory to start from; `/` or empty for the root'),
    ret_type: withValues(optional(text(255), 'all', '`files`, `dirs` or `all`'), ['files', 'dirs', 'all']),
    limit,
    cursor: optional(text(4_096), null, 'Only entries after the one with this `name`'),
  },
  result: v.array(NodeRecord),
});

export const createRepo = defineMethod({
  name: 'create_repo',
  summary: 'Creates a repository, empty or as a copy of a remote one; missing repository groups are created.',
  permission: { caller: ['hg.create.repository'] },
  lane: 'storage',
  laneOf: (args) => (args['clone_uri'] == null || args['clone_uri'] === '' ? 'storage' : 'transfer'),
  route: 'new',
  access: 'operation',
  args: {
    repo_name: required(nameText, 'Full name; segments before the last `/` are repository groups'),
    owner: optional(entityRef, null, 'Username or user id; administrators only', 'the caller'),
    repo_type: withValues(optional(text(255), 'hg', '`hg` or `git`'), ['hg', 'git']),
    description: optional(text(10_000), '', 'Description; the last segment of the name when empty'),
    private: optional(flag, false, 'Whether only users with a level on the repository can see it'),
    clone_uri: secret('login', optional(text(10_000), null, 'URL of a remote repository to copy and later pull from')),
    landing_rev: optional(text(255), 'tip', landingRevMeaning),
    enable_downloads: optional(flag, false, 'Whether archives can be downloaded'),
    enable_locking: optional(flag, false, 'Stored and returned, without effect'),
    enable_statistics: optional(flag, false, 'Stored and returned, without effect'),
    storage: optional(text(255), null, 'Name of the storage; administrators only', 'one by weight and free space'),
  },
  result: v.strictObject({ msg: v.string(), repo: RepositoryRecord, task: v.nullable(v.string()) }),
});

export const deleteRepo = defineMethod({
  name: 'delete_repo',
  summary: 'Deletes a repository; `forks` says whether its forks are deleted or detached.',
  permission: { caller: 'any', repository: 'admin' },
  lane: 'storage',
  access: 'operation',
  takesLost: true,
  args: {
    repoid,
    forks: withValues(optional(text(255), null, '`delete` or `detach`: what is done with its forks'), [
      'delete',
      'detach',
    ]),
  },
  result: v.strictObject({ msg: v.string(), success: v.literal(true) }),
});

export const pull = defineMethod({
  name: 'pull',
  summary:
    'Pulls new changesets from the remote of a repository, and in git new branches and tags: branches follow those of the remote, and a tag that is there is never moved. `get_operation` and the audit log have their numbers.',
  permission: { caller: 'admin', repository: 'admin' },
  lane: 'transfer',
  access: 'operation',
  args: {
    repoid,
    prune: optional(
      flag,
      false,
      'Whether branches and tags of git are removed that the remote no longer has; Mercurial removes nothing',
    ),
  },
  result: v.string(),
});

export const rescanRepos = defineMethod({
  name: 'rescan_repos',
  summary:
    'Registers repositories found below the roots of all storages; when asked to, removes registered repositories whose directories are missing.',
  permission: { caller: 'admin' },
  lane: 'transfer',
  access: 'operation',
  args: {
    remove_obsolete: optional(
      flag,
      false,
      'Whether repositories whose directories are missing are removed; their forks are detached',
    ),
    force: optional(
      flag,
      false,
      'Whether to continue when the directories of more than ten repositories of a storage, and more than a tenth of them, are missing',
    ),
  },
  result: v.strictObject({
    added: v.array(v.string()),
    removed: v.array(v.string()),
    /** Names of storages that did not answer, and of which nothing was added or removed; absent when all did. */
    away: v.optional(v.array(v.string())),
  }),
  merge: (results, away) => ({
    added: results.flatMap(({ added }) => added),
    removed: results.flatMap(({ removed }) => removed),
    ...(away.length > 0 && { away: [...away] }),
  }),
});

export const forkRepo = defineMethod({
  name: 'fork_repo',
  summary:
    'Forks a repository under a new name; missing repository groups are created. A fork that takes long continues in the background: `task` is then the id of its operation.',
  permission: { caller: ['hg.fork.repository', 'hg.create.repository'], repository: 'read' },
  lane: 'storage',
  access: 'operation',
  args: {
    repoid,
    fork_name: required(nameText, 'Full name; segments before the last `/` are repository groups'),
    owner: optional(entityRef, null, 'Username or user id; administrators only', 'the caller'),
    description: optional(text(10_000), '', 'Description; the last segment of the name when empty'),
    copy_permissions: optional(flag, false, 'Whether the levels of users and user groups are copied from the source'),
    private: optional(
      flag,
      null,
      'Whether only users with a level on the fork can see it; always so for a fork of a private repository by a user without admin level on it',
      'same as the source',
    ),
    landing_rev: optional(text(255), 'tip', landingRevMeaning),
    storage: optional(text(255), null, 'Name of the storage; administrators only', 'that of the source'),
  },
  result: v.strictObject({ msg: v.string(), success: v.literal(true), task: v.nullable(v.string()) }),
});

export const followRepo = defineMethod({
  name: 'follow_repo',
  summary: 'Adds a user to the followers of a repository.',
  permission: { caller: 'any', repository: 'read' },
  lane: 'metadata',
  access: 'write',
  args: { repoid, userid: targetUser },
  result: Outcome,
});

export const unfollowRepo = defineMethod({
  name: 'unfollow_repo',
  summary: 'Removes a user from the followers of a repository, even when the user can no longer read it.',
  // A follower who has lost the level `read` may still unfollow; the handler hides the repository from other callers.
  permission: { caller: 'any', repository: 'none' },
  lane: 'metadata',
  access: 'write',
  args: { repoid, userid: targetUser },
  result: Outcome,
});
