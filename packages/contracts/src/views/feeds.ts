import * as v from 'valibot';
import { timestamp } from '../records/parts.ts';
import { optional, required } from '../args/arg.ts';
import { entityRef, text, wholeNumber } from '../args/schemas.ts';
import { contentOf } from '../messages/content.ts';
import { defineMethod } from '../method.ts';

/** Entry of activity: an action of a user on a repository. */
export const ActivityRecord = v.strictObject({
  id: v.number(),
  date: timestamp,
  actor: v.string(),
  /** First and last name; the username of a user who has neither. */
  actor_name: v.string(),
  /** Description of the action, in words that precede the repository's name. */
  action: v.string(),
  repo_name: v.string(),
  /** How many times within ten minutes; absent for actions that are shown one by one. */
  count: v.optional(v.number()),
  /** Path of a page about the action; null when the repository was deleted. */
  link: v.nullable(v.string()),
});
export type ActivityRecord = v.InferOutput<typeof ActivityRecord>;

const feed = {
  format: required(v.picklist(['rss', 'atom']), '`rss` or `atom`'),
  base_url: required(v.pipe(text(2_048), v.url()), 'Base URL of the service, with which links begin'),
};
const kind = required(
  v.picklist(['own', 'public']),
  '`own` for what the caller follows, `public` for what everybody may read',
);
const result = contentOf(v.strictObject({ contentType: v.string() }));

export const repositoryFeed = defineMethod({
  name: 'repository_feed',
  summary: 'Returns the newest changesets of a repository as a feed.',
  permission: { caller: 'any', repository: 'read', refuseOpenly: true },
  lane: 'storage',
  access: 'read',
  args: { repoid: required(entityRef, 'Repository name or id'), ...feed },
  result,
});

export const journalFeed = defineMethod({
  name: 'journal_feed',
  summary: 'Returns recent activity in repositories as a feed.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: { kind, ...feed },
  result,
});

export const getJournal = defineMethod({
  name: 'get_journal',
  summary: 'Lists activity in repositories, newest first.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: {
    kind,
    limit: optional(wholeNumber(1, 100), 20, 'Maximum number of entries'),
    cursor: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), null, 'Only entries after the one with this `id`'),
  },
  result: v.array(ActivityRecord),
});
