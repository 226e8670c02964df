import {
  AuthenticationError,
  type Caller,
  type EntityRef,
  ForbiddenError,
  type KeyLimit,
  levels,
  limitedKeyText,
  type Method,
  NotFoundError,
  type Permission,
  reaches,
} from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { addressAllowed } from '@trunkline/runtime';
import { accessQuery, callerQuery, type DemandedRights } from './access-query.ts';

/** The limit of the caller's API key; null for a key without one, and for other credentials. */
export interface LimitedCaller {
  readonly limitedTo: KeyLimit | null;
}

/** Throws AuthenticationError when the caller has a limited key and the method is not for such keys. */
export function requireKeyForMethod({ limitedTo }: LimitedCaller, { limitedKeys }: Pick<Method, 'limitedKeys'>): void {
  if (limitedTo !== null && limitedKeys === undefined) throw new AuthenticationError(limitedKeyText(limitedTo));
}

/** Throws ForbiddenError when the caller has a key that is limited to clone and fetch. */
export function requirePushKey({ limitedTo }: LimitedCaller): void {
  if (limitedTo === 'fetch') throw new ForbiddenError(limitedKeyText(limitedTo));
}

export interface RepositoryAccess {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly type: 'hg' | 'git';
  readonly storageId: string;
  readonly storagePath: string;
  readonly generation: number;
  readonly isFork: boolean;
  /** Raw id of the recorded tip; null when no tip is recorded. */
  readonly tipId: string | null;
  /** Number of the recorded tip. */
  readonly tipRevision: number | null;
  readonly level: number;
}

/** Identity and rights of the caller, read in the statement or transaction that acts. */
export interface Access<Repository = RepositoryAccess> extends LimitedCaller {
  readonly user: { readonly id: number; readonly username: string; readonly admin: boolean };
  readonly ip: string;
  /** Id of the session; null for a call without one. */
  readonly sessionId: number | null;
  readonly globalPermissions: readonly string[];
  /** Repository that the call names; null when the call names none or a missing one. */
  readonly repository: Repository | null;
  /** What the statement of the rights has read for the method's result. */
  readonly shown?: unknown;
}

function mayCall(permission: Permission, access: Access<unknown>): boolean {
  if (access.user.admin || permission.caller === 'any') return true;
  return permission.caller !== 'admin' && permission.caller.some((one) => access.globalPermissions.includes(one));
}

function accessDenied(): ForbiddenError {
  return new ForbiddenError('Access was denied to this resource.');
}

/** Returns the client's error, which is the same for a missing repository and for a forbidden one. */
export function repositoryNotFound(ref: EntityRef): NotFoundError {
  return new NotFoundError(`repository \`${ref.sent}\` does not exist`);
}

function sessionIdOf({ credential }: Caller): number | null {
  return credential.kind === 'session' ? credential.id : null;
}

/** Returns the parameters by which a statement finds the caller. */
export function callerParameters(from: Caller) {
  const { userId, credential } = from;
  return {
    userId,
    keyId: credential.kind === 'key' ? credential.id : null,
    sessionId: sessionIdOf(from),
    passwordFingerprint: credential.kind === 'password' ? credential.fingerprint : null,
  };
}

/** Returns what a call has to have, by the permission of its method. */
export function demandedRights({ caller, repository }: Permission): DemandedRights {
  const leastLevel = repository ? levels[repository] : null;
  if (caller === 'any') return { permissions: null, leastLevel };
  // None makes an administrator.
  return { permissions: caller === 'admin' ? [] : caller, leastLevel };
}

type ReadRights = (db: Db, from: Caller, ref: EntityRef | null) => Promise<Rights<RepositoryAccess> | undefined>;

const readAccess: ReadRights = async (db, from, ref) => {
  const caller = callerParameters(from);
  if (!ref) {
    const [row] = await callerQuery(db).execute(caller);
    return row && { ...row, keyReaches: true, repository: null };
  }
  const named = { repositoryId: ref.id, repositoryName: ref.name };
  const [row] = await accessQuery(db).execute({ ...caller, ...named });
  return row;
};

/** Error texts for credentials that are unknown or no longer valid. */
const unusable = {
  key: 'Invalid API key',
  session: 'Session has ended',
  password: 'Invalid username or password',
  anonymous: 'Sign in first',
} as const satisfies Record<Caller['credential']['kind'], string>;

/** The caller's present state and rights, as one statement has read them. */
export interface Rights<Repository> extends LimitedCaller {
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  readonly usable: boolean;
  readonly networks: readonly string[];
  readonly globalPermissions: readonly string[];
  readonly keyReaches: boolean;
  readonly repository: Repository | null;
  /** What the method's own statement has read beside the rights (`handlerWithRights`). */
  readonly shown?: unknown;
}

/** A call whose rights are checked. */
export interface Asked {
  readonly method: Pick<Method, 'permission' | 'access' | 'limitedKeys'>;
  readonly caller: Caller;
  readonly ref: EntityRef | null;
  readonly noteRepository: (id: number) => void;
}

/**
 * Throws the client's error if the rights that were read do not suffice. Notes the repository's id for the log
 * before permissions are checked. A missing repository is null for an administrator, and an error for others.
 */
export function requireRights<Repository extends Pick<RepositoryAccess, 'id' | 'level'>>(
  row: Rights<Repository> | undefined,
  { method, caller, ref, noteRepository }: Asked,
): Access<Repository> {
  const { permission, access: kind } = method;
  if (!row?.usable) throw new AuthenticationError(unusable[caller.credential.kind]);
  if (!addressAllowed(caller.ip, row.networks)) {
    throw new AuthenticationError(`request from IP:${caller.ip} not allowed`);
  }
  requireKeyForMethod(row, method);
  const { userId: id, username, admin, limitedTo, globalPermissions, repository, shown } = row;
  if (repository) noteRepository(repository.id);
  const sessionId = sessionIdOf(caller);
  const user = { id, username, admin };
  const access = { user, ip: caller.ip, sessionId, limitedTo, globalPermissions, repository, shown };
  const readsOnly = caller.credential.kind === 'anonymous';
  if (!mayCall(permission, access) || (readsOnly && kind !== 'read')) throw accessDenied();
  if (ref && permission.repository && !admin && !(repository && reaches(repository.level, permission.repository))) {
    throw permission.refuseOpenly ? accessDenied() : repositoryNotFound(ref);
  }
  if (ref && !row.keyReaches) throw repositoryNotFound(ref);
  if (method.limitedKeys === 'push') requirePushKey(access);
  return access;
}

/**
 * Reads the caller's rights, by the method's own statement if it has one, and throws the client's error if they do not
 * suffice.
 */
export async function authorize(db: Db, asked: Asked, read: ReadRights = readAccess): Promise<Access> {
  return requireRights(await read(db, asked.caller, asked.ref), asked);
}
