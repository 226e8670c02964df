import { sizeOfGroup, sizeOfOwner } from '../../domain/repo/stored-size-store.ts';
import { findRepoGroup } from '../../domain/groups/repo-group-read-store.ts';
import type { MethodHandler } from '../context.ts';

const nothing = { repositories: 0, size_bytes: 0, size_unknown: 0 };

export const viewStoredSize: MethodHandler<'view_stored_size'> = async ({ userid, repogroupid }, { db }) => {
  if (userid?.id != null) return sizeOfOwner(db, userid.id);
  const group = repogroupid?.id == null ? undefined : await findRepoGroup(db, repogroupid.id);
  return group ? sizeOfGroup(db, group.name) : nothing;
};
