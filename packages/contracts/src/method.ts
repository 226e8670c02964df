import type * as v from 'valibot';
import type { ArgsOf, ArgSpecs } from './args/arg.ts';
import type { Lane } from './lanes.ts';
import type { LevelName } from './level.ts';

export type GlobalPermission = 'hg.create.repository' | 'hg.fork.repository';

/** The callers a method accepts; the worker checks in this order, before the handler runs. */
export interface Permission {
  /** Every user, administrators, or users with one of these global permissions. */
  readonly caller: 'any' | 'admin' | readonly GlobalPermission[];
  /** The level needed on the repository that `repoid` names; with a lower level the repository does not exist. */
  readonly repository?: LevelName;
  /** A caller below that level gets "access denied", whether the repository exists or not. */
  readonly denied?: true;
  /** The level needed on the group that `repogroupid` names, checked by the handler; with a lower level it does not exist. */
  readonly repoGroup?: LevelName;
  /** The owner of the user group that the call names may call, too; checked by the handler. */
  readonly userGroupOwner?: true;
}

/**
 * How the worker runs it: `read` outside a transaction, `write` inside one,
 * `operation` as a row of the table of operations, which survives its worker.
 */
export type Access = 'read' | 'write' | 'operation';

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
  /** The lane of a call with these arguments, when it is not always the same. */
  readonly laneOf?: (args: Readonly<Record<string, unknown>>) => Lane;
  /** Whether a call with these arguments changes anything, when not every one does. */
  readonly changes?: (args: Readonly<Record<string, unknown>>) => boolean;
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

export type ArgsOfMethod<O> = O extends Method<string, infer A> ? ArgsOf<A> : never;

export type ResultOfMethod<O> = O extends Method<string, ArgSpecs, infer R> ? v.InferOutput<R> : never;
