import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { text } from '../args/text.ts';
import { wholeNumber } from '../args/whole-number.ts';
import { contentOf } from '../messages/content.ts';
import { defineMethod } from '../method.ts';
import { ActivityRecord } from '../records/activity.ts';

const feed = {
  format: required(v.picklist(['rss', 'atom']), '`rss` or `atom`'),
  base_url: required(v.pipe(text(2_048), v.url()), 'Where the service is; links begin with it'),
};
const kind = required(v.picklist(['own', 'public']), 'Of what the caller follows, or of what everybody may read');
const result = contentOf(v.strictObject({ contentType: v.string() }));

export const repositoryFeed = defineMethod({
  name: 'repository_feed',
  summary: 'The newest changesets of a repository as a feed.',
  permission: { caller: 'any', repository: 'read', denied: true },
  lane: 'storage',
  access: 'read',
  args: { repoid: required(entityRef, 'Repository name or id'), ...feed },
  result,
});

export const journalFeed = defineMethod({
  name: 'journal_feed',
  summary: 'What was done to repositories lately, as a feed.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: { kind, ...feed },
  result,
});

export const getJournal = defineMethod({
  name: 'get_journal',
  summary: 'What was done to repositories, the newest first.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: {
    kind,
    limit: optional(wholeNumber(1, 100), 20, 'At most so many entries'),
    cursor: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), null, 'Only entries after the one with this `id`'),
  },
  result: v.array(ActivityRecord),
});
