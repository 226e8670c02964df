import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, text, wholeNumber } from '../args/schemas.ts';
import { contentOf } from '../messages/content.ts';
import { defineMethod } from '../method.ts';
import { ActivityRecord } from '../records/activity.ts';

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
