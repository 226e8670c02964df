import type { Caller, EntityRef, ServedName } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { callerParameters, type RepositoryAccess, type Rights } from '../../authz/authorize.ts';
import { networksWithCaller } from '../../domain/user/networks-of-named.ts';
import { userWithCaller, type UserDetails } from '../../domain/user/user-with-caller.ts';
import { detailsWithAccess, type RepositoryDetails } from '../../domain/repo/repository-details.ts';

/** What the statement that reads a caller's rights reads beside them, for the results of these methods. */
export interface ShownWithRights {
  /** Null when there is no such repository. */
  readonly get_repo: RepositoryDetails | null;
  /** Networks of the named user; null when there is no such user. */
  readonly get_ip: readonly string[] | null;
  /** Null when there is no such user, or none whom the caller may see. */
  readonly get_user: UserDetails | null;
}

type Shown<N extends keyof ShownWithRights> = Rights<RepositoryAccess> & { readonly shown: ShownWithRights[N] };
type Read<N extends keyof ShownWithRights> = (
  db: Db,
  caller: Caller,
  ref: EntityRef | null,
  args: Readonly<Record<string, unknown>>,
) => Promise<Shown<N> | undefined>;

const reads: { readonly [N in keyof ShownWithRights]: Read<N> } = {
  async get_repo(db, caller, ref) {
    const named = { repositoryId: ref?.id ?? null, repositoryName: ref?.name ?? null };
    const [row] = await detailsWithAccess(db).execute({ ...callerParameters(caller), ...named });
    return row && { ...row, shown: row.details };
  },
  async get_ip(db, caller, _ref, args) {
    const { id, name } = args['userid'] as EntityRef;
    const [row] = await networksWithCaller(db).execute({ ...callerParameters(caller), targetId: id, targetName: name });
    return row && { ...row, keyReaches: true, repository: null };
  },
  async get_user(db, caller, _ref, args) {
    const named = args['userid'] as EntityRef | null;
    const target = named
      ? { targetId: named.id, targetName: named.name }
      : { targetId: caller.userId, targetName: null };
    const [row] = await userWithCaller(db).execute({ ...callerParameters(caller), ...target });
    return row && { ...row, keyReaches: true, repository: null };
  },
};

/** Returns how a method reads rights and result in one statement; undefined for a method that reads its result later. */
export function readWithRights(name: ServedName, args: Readonly<Record<string, unknown>>) {
  if (!Object.hasOwn(reads, name)) return undefined;
  const read = reads[name as keyof ShownWithRights];
  return (db: Db, caller: Caller, ref: EntityRef | null) => read(db, caller, ref, args);
}
