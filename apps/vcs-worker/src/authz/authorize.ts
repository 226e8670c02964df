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
  type RpcError,
} from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { addressAllowed } from '@trunkline/runtime';
import { sql, type SQL } from 'drizzle-orm';
import { accessQuery, callerQuery, type RightsColumns, rightsHold } from './access-query.ts';

/** The limit of the caller's API key; null for a key without one, and for other credentials. */
export interface LimitedCaller {
  readonly limitedTo: KeyLimit | null;
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

type Read = Rights<Pick<RepositoryAccess, 'id' | 'level'>>;

/** One of the rules by which a call may act. Both sides say the same: the statement locks for whom the worker lets act. */
interface Rule {
  /** The rule for a statement that changes something, which passes over callers on whom the worker alone decides. */
  readonly holds: (columns: RightsColumns) => SQL;
  /** Returns the client's error for a caller who breaks the rule. */
  readonly refusal: (rights: Read, asked: Asked) => RpcError | null;
}

const wanted = { permissions: sql.placeholder('permissions'), leastLevel: sql.placeholder('leastLevel') };

/** Returns the global permissions of which a caller needs one; null for none, and an empty list makes administrators only. */
function permissionsFor({ caller }: Permission): readonly string[] | null {
  if (caller === 'any') return null;
  return caller === 'admin' ? [] : caller;
}

/** Returns what a statement has to know of a call: who calls, and what the method demands of them. */
export function rightsParameters(from: Caller, permission: Permission) {
  const leastLevel = permission.repository ? levels[permission.repository] : null;
  return { ...callerParameters(from), permissions: permissionsFor(permission), leastLevel };
}

const ofCaller: readonly Rule[] = [
  {
    holds: ({ usable }) => sql`${usable}`,
    refusal: ({ usable }, { caller }) => (usable ? null : new AuthenticationError(unusable[caller.credential.kind])),
  },
  {
    holds: ({ networks }) => sql`cardinality(${networks}) = 0`,
    refusal: ({ networks }, { caller: { ip } }) =>
      addressAllowed(ip, networks) ? null : new AuthenticationError(`request from IP:${ip} not allowed`),
  },
  {
    holds: ({ limitedTo }) => sql`${limitedTo} is null`,
    refusal: ({ limitedTo }, { method }) =>
      limitedTo === null || method.limitedKeys ? null : new AuthenticationError(limitedKeyText(limitedTo)),
  },
];

const ofCall: readonly Rule[] = [
  {
    holds: ({ admin, globalPermissions }) =>
      sql`(${admin} or ${wanted.permissions}::text[] is null or ${globalPermissions} && ${wanted.permissions}::text[])`,
    refusal({ admin, globalPermissions }, { method }) {
      const permissions = permissionsFor(method.permission);
      const mayCall = admin || !permissions || permissions.some((one) => globalPermissions.includes(one));
      return mayCall ? null : accessDenied();
    },
  },
  {
    holds: ({ hasCredential }) => sql`${hasCredential}`,
    refusal: (_rights, { method, caller }) =>
      caller.credential.kind === 'anonymous' && method.access !== 'read' ? accessDenied() : null,
  },
  {
    holds: ({ admin, repositoryId, level }) => sql`(${wanted.leastLevel}::int is null
      or ${repositoryId} is not null and (${admin} or ${level} >= ${wanted.leastLevel}::int))`,
    refusal({ admin, repository }, { method: { permission }, ref }) {
      if (!ref || !permission.repository || admin) return null;
      if (repository && reaches(repository.level, permission.repository)) return null;
      return permission.refuseOpenly ? accessDenied() : repositoryNotFound(ref);
    },
  },
  {
    holds: ({ keyReaches }) => sql`${keyReaches}`,
    refusal: ({ keyReaches }, { ref }) => (ref && !keyReaches ? repositoryNotFound(ref) : null),
  },
  {
    holds: ({ limitedTo }) => sql`${limitedTo} is null`,
    refusal: ({ limitedTo }, { method }) =>
      method.limitedKeys === 'push' && limitedTo === 'fetch' ? new ForbiddenError(limitedKeyText(limitedTo)) : null,
  },
];

/** Returns the condition that the rights of a call suffice, for a statement that locks with `rightsParameters`. */
export function rightsSuffice(db: Db): SQL {
  return rightsHold(db, (columns) => [...ofCaller, ...ofCall].map(({ holds }) => holds(columns)));
}

function requireRules(rules: readonly Rule[], rights: Read, asked: Asked): void {
  for (const { refusal } of rules) {
    const refused = refusal(rights, asked);
    if (refused) throw refused;
  }
}

/**
 * Throws the client's error if the rights that were read do not suffice. Notes the repository's id for the log
 * before permissions are checked. A missing repository is null for an administrator, and an error for others.
 */
export function requireRights<Repository extends Pick<RepositoryAccess, 'id' | 'level'>>(
  row: Rights<Repository> | undefined,
  asked: Asked,
): Access<Repository> {
  const { caller, noteRepository } = asked;
  if (!row) throw new AuthenticationError(unusable[caller.credential.kind]);
  requireRules(ofCaller, row, asked);
  const { userId: id, username, admin, limitedTo, globalPermissions, repository, shown } = row;
  if (repository) noteRepository(repository.id);
  requireRules(ofCall, row, asked);
  const user = { id, username, admin };
  return { user, ip: caller.ip, sessionId: sessionIdOf(caller), limitedTo, globalPermissions, repository, shown };
}

/**
 * Reads the caller's rights, by the method's own statement if it has one, and throws the client's error if they do not
 * suffice.
 */
export async function authorize(db: Db, asked: Asked, read: ReadRights = readAccess): Promise<Access> {
  return requireRights(await read(db, asked.caller, asked.ref), asked);
}
