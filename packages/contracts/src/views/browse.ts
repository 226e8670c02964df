import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { flag } from '../args/flag.ts';
import { nameText, text } from '../args/text.ts';
import { wholeNumber } from '../args/whole-number.ts';
import { defineMethod } from '../method.ts';
import { timestamp } from '../records/timestamp.ts';

const level = v.picklist(['none', 'read', 'write', 'admin']);
const read = { lane: 'metadata', access: 'read' } as const;

const page = {
  limit: optional(wholeNumber(1, 200), 50, 'At most so many repositories'),
  cursor: optional(nameText, null, 'Only repositories after the one with this name', 'from the first one'),
};

const BriefChangeset = v.strictObject({
  short_id: v.string(),
  raw_id: v.string(),
  /** The first line of the message. */
  message: v.string(),
  author: v.string(),
  date: timestamp,
});
export type BriefChangeset = v.InferOutput<typeof BriefChangeset>;

/** A repository as lists of pages show it; `fork_of` is null, too, when the caller may not read that. */
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
  /** The caller's level. */
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
  summary: 'Repositories and groups that the caller may read: of one group, or wherever a filter finds them.',
  permission: { caller: 'any' },
  ...read,
  args: {
    group: optional(nameText, null, 'Only what is in this group; below it when something is looked for', 'top level'),
    filter: optional(text(255), null, 'Part of the name, in upper or lower case', 'any name'),
    owned: optional(flag, false, 'Only the caller’s own repositories, wherever they are'),
    watched: optional(flag, false, 'Only repositories that the caller follows, wherever they are'),
    ...page,
  },
  result: v.strictObject({
    group: v.nullable(v.strictObject({ ...ListedGroup.entries, level })),
    /** The groups around it, from the root. */
    parents: v.array(v.string()),
    /** Groups, on the first page alone: those in the group or, with a filter, those found below. */
    groups: v.array(ListedGroup),
    /** Whether there are more groups than are shown. */
    groups_cut: v.boolean(),
    ...RepositoryPage,
  }),
});

const ofRepository = {
  permission: { caller: 'any', repository: 'read', denied: true },
  ...read,
} as const;
const repoid = required(entityRef, 'Repository name or id');

export const listForks = defineMethod({
  name: 'list_forks',
  summary: 'The forks of a repository that the caller may read.',
  ...ofRepository,
  args: { repoid, ...page },
  result: v.strictObject(RepositoryPage),
});

export const viewRepository = defineMethod({
  name: 'view_repository',
  summary: 'What stands at the head of every page of a repository.',
  ...ofRepository,
  args: { repoid },
  result: v.strictObject({
    ...ListedRepository.entries,
    landing_rev: v.string(),
    enable_downloads: v.boolean(),
    /** The remote location without its password, for administrators of the repository only. */
    clone_uri: v.nullable(v.string()),
    followers: v.number(),
    /** The number of forks that the caller may read. */
    forks: v.number(),
    is_following: v.boolean(),
    /** The names of the groups around it, from the root. */
    parents: v.array(v.string()),
  }),
});
