import type * as v from 'valibot';

type Schema<T> = v.GenericSchema<unknown, T>;

/** One named argument of a method. */
export interface Arg<T> {
  readonly schema: Schema<T>;
  readonly summary: string;
  /** The value of an argument that the client leaves out; `required` when it must be sent. */
  readonly fallback: T | typeof requiredMark;
  /** How the documentation prints the default. */
  readonly shownDefault: string;
  /** Other names under which clients send the argument. */
  readonly alsoNamed: readonly string[];
  /** The part of the value that is recorded nowhere: all of it, or the login in a URL. */
  readonly secret?: 'whole' | 'login';
}

export const requiredMark: unique symbol = Symbol('required');

/** An argument that must be present; an explicit null reaches its schema. */
export function required<T>(schema: Schema<T>, summary: string, alsoNamed: readonly string[] = []): Arg<T> {
  return { schema, summary, fallback: requiredMark, shownDefault: '', alsoNamed };
}

/** An argument that may be absent or null; both give the fallback. */
export function optional<T, const F extends T | null>(
  schema: Schema<T>,
  fallback: F,
  summary: string,
  shownDefault = JSON.stringify(fallback),
): Arg<T | F> {
  return { schema, summary, fallback, shownDefault, alsoNamed: [] };
}

/** An argument that the audit log shows without its secret part. */
export function secret<A>(what: 'whole' | 'login', arg: Arg<A>): Arg<A> {
  return { ...arg, secret: what };
}

/** The same argument, which clients also send by other names. */
export function alsoSentAs<T>(arg: Arg<T>, ...names: readonly string[]): Arg<T> {
  return { ...arg, alsoNamed: names };
}

/** The arguments of a method in declaration order. */
export type ArgSpecs = Readonly<Record<string, Arg<unknown>>>;

/** The parsed arguments that a handler receives. */
export type ArgsOf<A extends ArgSpecs> = {
  readonly [K in keyof A]: A[K] extends Arg<infer T> ? T : never;
};
