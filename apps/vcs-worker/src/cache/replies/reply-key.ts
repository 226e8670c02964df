import { hash } from 'node:crypto';
import type { RepositoryAccess } from '../../authz/authorize.ts';

/** What a reply depends on: replies with the same digest are the same bytes. */
export interface ReplyKey {
  readonly repositoryId: number;
  readonly generation: number;
  /** Digest of the method, its arguments and the repository's row. */
  readonly digest: string;
}

/**
 * Returns the key of the reply of a method, or of something else that is kept. The repository has to be that of the statement that has read the caller's rights. The
 * recorded tip tells generations apart that a restored database counts again; the name is in texts of errors, which
 * calls share while the reply is being made.
 */
export function replyKey(what: string, args: object, repository: RepositoryAccess): ReplyKey {
  const { id: repositoryId, uuid, name, storageId, storagePath, generation, tipId } = repository;
  const others = Object.entries(args).filter(([argument]) => argument !== 'repoid');
  const parts = [what, others, repositoryId, uuid, name, storageId, storagePath, generation, tipId];
  return { repositoryId, generation, digest: hash('sha256', JSON.stringify(parts), 'base64') };
}
