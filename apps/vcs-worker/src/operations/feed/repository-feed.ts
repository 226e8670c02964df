import { Content, OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { feedTypes } from '../../feed/encode-feed.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { Handler } from '../context.ts';

export const repositoryFeed: Handler<'repository_feed'> = async (args, { access, storage, backends, feeds }) => {
  const { format, base_url: baseUrl } = args;
  const repository = requireRepository(access, args.repoid);
  const from = { source: backends[repository.type], path: storage.absolute(repository.storagePath) };
  try {
    return new Content({ contentType: feedTypes[format] }, await feeds.get(repository, from, { format, baseUrl }));
  } catch (error) {
    if (!(error instanceof VcsError)) throw error;
    throw new OperationFailedError(`failed to get repo: \`${repository.name}\` feed`, { cause: error });
  }
};
