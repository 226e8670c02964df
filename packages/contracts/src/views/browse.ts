import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag, nameText, text, wholeNumber } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';
import { timestamp } from '../records/parts.ts';
import { RefRecord } from './refs.ts';
import { BriefChangeset } from '../records/repository.ts';

const level = v.picklist(['none', 'read', 'write', 'admin']);
const read = { lane: 'metadata', access: 'read' } as const;

const page = {
  limit: optional(wholeNumber(1, 200), 50, 'Maximum number of repositories'),
  cursor: optional(nameText, null, 'Only repositories after the one with this name', 'the beginning'),
};

/** Repository in a list on a page; `fork_of` is also null when the caller may not read the source of the fork. */
const ListedRepository = v.strictObject({
  repo_id: v.number(),
  repo_name: v.string(),
  repo_type: v.picklist(['hg', 'git']),
  private: v.boolean(),
  description: v.string(),
  owner: v.string(),
  fork_of: v.nullable(v.string()),
  locked_by: v.nullable(v.string()),
  last_changeset: v.nullable(BriefChangeset),
  created_on: timestamp,
  /** The caller's permission level on the repository. */
  level,
});
export type ListedRepository = v.InferOutput<typeof ListedRepository>;

const RepositoryPage = {
  repositories: v.array(ListedRepository),
  /** The cursor of the next page. */
  next: v.nullable(v.string()),
};

const ListedGroup = v.strictObject({ name: v.string(), description: v.string() });

export const browseRepositories = defineMethod({
  name: 'browse_repositories',
  summary: 'Lists repositories and groups that the caller can read: those in one group, or all that match a filter.',
  permission: { caller: 'any' },
  ...read,
  args: {
    group: optional(nameText, null, 'Only repositories in this group; with a filter, all below it', 'top level'),
    filter: optional(text(255), null, 'Part of the name, in upper or lower case', 'any name'),
    owned: optional(flag, false, 'Only repositories that the caller owns, in any group'),
    watched: optional(flag, false, 'Only repositories that the caller follows, in any group'),
    ...page,
  },
  result: v.strictObject({
    group: v.nullable(v.strictObject({ ...ListedGroup.entries, level })),
    /** Names of the groups that contain the group, from the root. */
    parents: v.array(v.string()),
    /** Groups directly in the group or, with a filter, those found below it; on the first page only. */
    groups: v.array(ListedGroup),
    /** Whether there are more groups than `groups` lists. */
    groups_cut: v.boolean(),
    ...RepositoryPage,
  }),
});

const ofRepository = {
  permission: { caller: 'any', repository: 'read', refuseOpenly: true },
  ...read,
} as const;
const repoid = required(entityRef, 'Repository name or id');

export const listForks = defineMethod({
  name: 'list_forks',
  summary: 'Lists the forks of a repository that the caller can read.',
  ...ofRepository,
  args: { repoid, ...page },
  result: v.strictObject(RepositoryPage),
});

export const viewRepository = defineMethod({
  name: 'view_repository',
  summary: 'Returns the data of a repository that each of its pages shows.',
  ...ofRepository,
  args: { repoid },
  result: v.strictObject({
    ...ListedRepository.entries,
    landing_rev: v.string(),
    enable_downloads: v.boolean(),
    /** URL of the remote without its password; null for callers who do not administer the repository. */
    clone_uri: v.nullable(v.string()),
    /** Bytes on the disk after the last operation; null while unknown, and for callers who do not administer it. */
    size_bytes: v.nullable(v.number()),
    /** Branch that clients of git check out; null in hg, and while unknown. */
    default_branch: v.nullable(v.string()),
    /** What pages show first, null for none: see `view_repository_head`, whose answers and those of `view_files_page` alone have it. */
    default_ref: v.optional(v.nullable(RefRecord)),
    /** Name of the storage that has the bytes; null for callers who do not administer the service. */
    storage: v.nullable(v.string()),
    /**
     * When all of the repository was last read, null before the first time, and whether something was damaged; absent for
     * callers who do not administer it, and in answers of earlier releases.
     */
    verification: v.optional(v.strictObject({ verified_on: v.nullable(timestamp), damaged: v.boolean() })),
    /** For how many days it can be restored once it is deleted; absent where `verification` is. */
    trash_days: v.optional(v.number()),
    followers: v.number(),
    /** The number of forks that the caller may read, among the first 100. */
    forks: v.number(),
    is_following: v.boolean(),
    /** Names of the groups that contain the repository, from the root. */
    parents: v.array(v.string()),
  }),
});

export const viewRepositoryHead = defineMethod({
  name: 'view_repository_head',
  summary:
    'Returns what `view_repository` does and, from the bytes of the repository, the branch that pages show first.',
  permission: viewRepository.permission,
  lane: 'storage',
  access: 'read',
  args: viewRepository.args,
  result: viewRepository.result,
});
