import { findRepositoryNames } from '../../domain/repo/repository-name-store.ts';
import type { MethodHandler } from '../context.ts';

export const listRepositoryNames: MethodHandler<'list_repository_names'> = async ({ ids }, { db }) => ({
  repositories: (await findRepositoryNames(db, ids)).map(({ id, name }) => ({ repo_id: id, repo_name: name })),
});
