import type * as v from 'valibot';
import type { ArgsOf, ArgSpecs } from './args/arg.ts';
import type { Lane } from './lanes.ts';
import type { KeyLimit, LevelName } from './rights.ts';

export type GlobalPermission = 'hg.create.repository' | 'hg.fork.repository';

/**
 * The callers whom a method accepts. Before the handler runs, the worker checks `caller`, then `repository`, for which
 * administrators need no level.
 */
export interface Permission {
  /** Every user, administrators, or users with one of these global permissions. */
  readonly caller: 'any' | 'admin' | readonly GlobalPermission[];
  /** Level required on the repository that `repoid` names; callers below it get the error for a missing repository. */
  readonly repository?: LevelName;
  /** A caller without the level in `repository` gets "access denied", whether the repository exists or not. */
  readonly refuseOpenly?: true;
  /** Level required on the group that `repogroupid` names, checked by the handler; otherwise as `repository`. */
  readonly repoGroup?: LevelName;
  /** The owner of the user group that the call names may call the method, too; checked by the handler. */
  readonly userGroupOwner?: true;
}

/**
 * How the worker runs a method: `read` outside a transaction, `write` inside one,
 * `operation` as a row of the table `operations`, which survives its worker.
 */
export type Access = 'read' | 'write' | 'operation';

/**
 * The storage whose workers may run a call: that of the repository which `repoid` names, one that takes new
 * repositories, or any.
 */
export type Route = 'repository' | 'new' | 'any';

export interface Method<
  Name extends string = string,
  A extends ArgSpecs = ArgSpecs,
  R extends v.GenericSchema = v.GenericSchema,
  X extends Access = Access,
> {
  readonly name: Name;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly permission: Permission;
  readonly lane: Lane;
  readonly access: X;
  readonly args: A;
  readonly result: R;
  /** Returns the lane of a call with these arguments; absent when all calls have the lane `lane`. */
  readonly laneOf?: (args: Readonly<Record<string, unknown>>) => Lane;
  /** Absent in methods that `repoid` or nothing sends to a storage. */
  readonly route?: Route;
  /** The least limit of a limited API key that may call the method; absent in methods that need a key without a limit. */
  readonly limitedKeys?: KeyLimit;
  /** Whether any worker runs a call about a repository whose storage is lost, since no worker serves that. */
  readonly takesLost?: true;
  /**
   * Merges the results of every storage, for a method that concerns all of them; `away` names those that did not answer.
   * Absent in methods that one worker answers.
   */
  merge?(results: readonly v.InferOutput<R>[], away: readonly string[]): v.InferOutput<R>;
  /** Returns the view that does the work of a call with these arguments; null for the method itself. */
  readonly viewFor?: (args: Readonly<Record<string, unknown>>) => Method | null;
  /** Name of the method of the API for which a view does the work; the audit log has it. */
  readonly worksFor?: string;
  /** Returns whether a call with these arguments changes data; absent when `access` decides it. */
  readonly changesData?: (args: Readonly<Record<string, unknown>>) => boolean;
}

type Described<Name extends string, A extends ArgSpecs, R extends v.GenericSchema, X extends Access> = Omit<
  Method<Name, A, R, X>,
  'aliases'
> & { readonly aliases?: readonly string[] };

/** Defines one method of the API: types, checks, documentation and help are all derived from this entry. */
export function defineMethod<
  const Name extends string,
  A extends ArgSpecs,
  R extends v.GenericSchema,
  const X extends Access,
>(described: Described<Name, A, R, X>): Method<Name, A, R, X> {
  return { aliases: [], ...described };
}

/**
 * Returns whether a call with these arguments, checked or not, changes nothing and so ends with its client. Arguments
 * of a wrong type count as a change.
 */
export function endsWithClient(
  { access, changesData }: Pick<Method, 'access' | 'changesData'>,
  args: unknown,
): boolean {
  if (access === 'read') return true;
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
  return changesData !== undefined && !changesData(isObject ? { ...args } : {});
}

/** Returns the route of a method whose lane reaches bytes. */
export function routeOf({ route, args }: Pick<Method, 'route' | 'args'>): Route {
  return route ?? (Object.hasOwn(args, 'repoid') ? 'repository' : 'any');
}

export type ArgsOfMethod<O> = O extends Method<string, infer A> ? ArgsOf<A> : never;

export type ResultOfMethod<O> = O extends Method<string, ArgSpecs, infer R> ? v.InferOutput<R> : never;
