import { Content, OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/repository/require-repository.ts';
import { feedTypes } from '../../domain/feed/feed.ts';
import { readRepository } from '../../domain/repo/read-repository.ts';
import type { MethodHandler } from '../context.ts';

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
