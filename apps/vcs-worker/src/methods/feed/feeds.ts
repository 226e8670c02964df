import { Content, OperationFailedError } from '@trunkline/contracts';
import { readActivity, toActivityFeed } from '../../domain/activity/activity-record.ts';
import type { MethodHandler } from '../context.ts';
import { encodeFeed, feedTypes } from '../../domain/feed/feed.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { readRepository } from '../../domain/repo/read-repository.ts';

export const getJournal: MethodHandler<'get_journal'> = async ({ kind, limit, cursor }, { db, access }) =>
  readActivity(db, kind, { user: access.user, limit, cursor });

const entriesShown = 20;

export const journalFeed: MethodHandler<'journal_feed'> = async ({ kind, format, base_url: baseUrl }, context) => {
  const { db, access, feedSettings } = context;
  const entries = await readActivity(db, kind, { user: access.user, limit: entriesShown, cursor: null });
  const feed = toActivityFeed(kind, entries, { siteName: feedSettings.siteName, baseUrl });
  return new Content({ contentType: feedTypes[format] }, encodeFeed(format, feed));
};

export const repositoryFeed: MethodHandler<'repository_feed'> = async (args, context) => {
  const { format, base_url: baseUrl } = args;
  const repository = requireRepository(context.access, args.repoid);
  const toClientError = (cause: Error) =>
    new OperationFailedError(`failed to get repo: \`${repository.name}\` feed`, { cause });
  return readRepository(context, repository, toClientError, async (source, path) => {
    const document = await context.feeds.get(repository, { source, path }, { format, baseUrl }, context.signal);
    return new Content({ contentType: feedTypes[format] }, document);
  });
};
