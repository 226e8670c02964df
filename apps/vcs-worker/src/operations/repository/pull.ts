import { requireRepository } from '../../authz/require-repository.ts';
import type { Handler } from '../context.ts';

export const pull: Handler<'pull'> = async ({ repoid }, { journal }) => {
  const name = await journal(async ({ access, operationId, begin }) => {
    const repository = requireRepository(access, repoid);
    await begin({
      id: operationId,
      kind: 'pull',
      repositoryId: repository.id,
      request: { name: repository.name },
      busyText: `Unable to pull changes from \`${repository.name}\``,
    });
    return repository.name;
  });
  return `Pulled from \`${name}\``;
};
