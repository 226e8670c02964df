import * as v from 'valibot';
import { optional, required, secret } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { flag } from '../args/flag.ts';
import { nameText, text } from '../args/text.ts';
import { defineMethod } from '../method.ts';
import { RepositoryWithChangesetRecord } from '../records/repository.ts';

export const updateRepo = defineMethod({
  name: 'update_repo',
  summary: 'Changes a repository; what is not given stays.',
  permission: { caller: 'any', repository: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: {
    repoid: required(entityRef, 'Repository name or id'),
    name: optional(nameText, null, 'New last segment of the name'),
    group: optional(entityRef, null, 'Repository group, by id or name, to move it into'),
    owner: optional(entityRef, null, 'Username or user id; administrators only'),
    description: optional(text(10_000), null, 'Shown to people'),
    private: optional(flag, null, 'Only explicit members see it; `default` loses its level'),
    clone_uri: secret('login', optional(text(10_000), null, 'Remote repository to pull from; empty for none')),
    landing_rev: optional(text(255), null, 'Revision that pages show first'),
    enable_downloads: optional(flag, null, 'Offer archives'),
    enable_locking: optional(flag, null, 'Kept and shown'),
    enable_statistics: optional(flag, null, 'Kept and shown'),
  },
  result: v.strictObject({
    msg: v.string(),
    repository: v.strictObject({
      ...RepositoryWithChangesetRecord.entries,
      locked_by: v.nullable(v.string()),
      locked_date: v.nullable(v.number()),
    }),
  }),
});
