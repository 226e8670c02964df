import {
  AuthenticationError,
  ForbiddenError,
  NotFoundError,
  reaches,
  type Caller,
  type EntityRef,
  type Permission,
} from '@trunkline/contracts';
import type { Executor } from '@trunkline/db';
import { addressAllowed } from '@trunkline/runtime';
import { accessQuery, callerQuery } from './access-query.ts';

export interface RepositoryAccess {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly type: 'hg' | 'git';
  readonly storagePath: string;
  readonly generation: number;
  /** The newest changeset, as recorded when the bytes last changed. */
  readonly tipId: string | null;
  readonly level: number;
}

/** What the caller is and may do, read in the moment and the transaction that acts. */
export interface Access {
  readonly user: { readonly id: number; readonly username: string; readonly admin: boolean };
  readonly ip: string;
  readonly globalPermissions: readonly string[];
  /** The repository the call names; null when it names none, or one that does not exist. */
  readonly repository: RepositoryAccess | null;
}

function mayCall(permission: Permission, access: Access): boolean {
  if (access.user.admin || permission.caller === 'any') return true;
  return permission.caller !== 'admin' && permission.caller.some((one) => access.globalPermissions.includes(one));
}

function accessDenied(): ForbiddenError {
  return new ForbiddenError('Access was denied to this resource.');
}

/** Missing and forbidden read the same. */
export function repositoryNotFound(ref: EntityRef): NotFoundError {
  return new NotFoundError(`repository \`${ref.sent}\` does not exist`);
}

async function readAccess(executor: Executor, { apiKeyId, userId }: Caller, ref: EntityRef | null) {
  if (!ref) {
    const [row] = await callerQuery(executor).execute({ apiKeyId, userId });
    return row && { ...row, repository: null };
  }
  const named = { repositoryId: ref.id, repositoryName: ref.name };
  const [row] = await accessQuery(executor).execute({ apiKeyId, userId, ...named });
  return row;
}

/** Throws what the caller must hear; for an administrator a missing repository is null. */
export async function authorize(
  executor: Executor,
  permission: Permission,
  caller: Caller,
  ref: EntityRef | null,
): Promise<Access> {
  const row = await readAccess(executor, caller, ref);
  if (!row?.usable) throw new AuthenticationError('Invalid API key');
  if (!addressAllowed(caller.ip, row.networks)) {
    throw new AuthenticationError(`request from IP:${caller.ip} not allowed`);
  }
  const { userId: id, username, admin, globalPermissions, repository } = row;
  const access = { user: { id, username, admin }, ip: caller.ip, globalPermissions, repository };
  if (!mayCall(permission, access)) throw accessDenied();
  if (ref && permission.repository && !admin && !(repository && reaches(repository.level, permission.repository))) {
    throw permission.denied ? accessDenied() : repositoryNotFound(ref);
  }
  return access;
}
