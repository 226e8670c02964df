import * as v from 'valibot';
import { optional, required, secret } from '../args/arg.ts';
import { entityRef, flag, nameText, text } from '../args/schemas.ts';
import { landingRevMeaning } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';
import { RepositoryWithChangesetRecord } from '../records/repository.ts';

const args = {
  repoid: required(entityRef, 'Repository name or id'),
  name: optional(nameText, null, 'New last segment of the name'),
  group: optional(entityRef, null, 'New repository group (id or name)'),
  owner: optional(entityRef, null, 'Username or user id; administrators only'),
  description: optional(text(10_000), null, 'Description'),
  private: optional(
    flag,
    null,
    'Whether only users with a level on the repository can see it; if true, `default` loses its level',
  ),
  clone_uri: secret('login', optional(text(10_000), null, 'URL of the remote repository to pull from; empty for none')),
  landing_rev: optional(text(255), null, landingRevMeaning),
  enable_downloads: optional(flag, null, 'Whether archives can be downloaded'),
  enable_locking: optional(flag, null, 'Stored and returned, without effect'),
  enable_statistics: optional(flag, null, 'Stored and returned, without effect'),
  default_branch: optional(
    text(255),
    null,
    'Branch that clients of git check out; needs the level write alone, and no other change in the same call',
  ),
};

const result = v.strictObject({
  msg: v.string(),
  repository: v.strictObject({
    ...RepositoryWithChangesetRecord.entries,
    locked_by: v.nullable(v.string()),
    locked_date: v.nullable(v.number()),
  }),
});

/** The part of `update_repo` that changes bytes, and so is an operation on the storage of the repository. */
export const setDefaultBranch = defineMethod({
  name: 'set_default_branch',
  summary: 'Does the work of `update_repo` with `default_branch`.',
  permission: { caller: 'any', repository: 'write' },
  worksFor: 'update_repo',
  lane: 'storage',
  access: 'operation',
  args,
  result,
});

export const updateRepo = defineMethod({
  name: 'update_repo',
  summary: 'Updates a repository; absent arguments change nothing.',
  permission: { caller: 'any', repository: 'admin' },
  lane: 'metadata',
  access: 'write',
  viewFor: ({ default_branch: branch }) => (branch === undefined || branch === null ? null : setDefaultBranch),
  args,
  result,
});
