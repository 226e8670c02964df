import type * as v from 'valibot';
import { flag } from './schemas.ts';

type Schema<T> = v.GenericSchema<unknown, T>;

/** Definition of one named argument of a method. */
export interface Arg<T> {
  readonly schema: Schema<T>;
  readonly summary: string;
  /** Value used when the client leaves the argument out; `requiredMark` when the client must send the argument. */
  readonly fallback: T | typeof requiredMark;
  /** Text of the default in the documentation; empty for a required argument. */
  readonly shownDefault: string;
  /** Other names under which clients send the argument. */
  readonly aliases: readonly string[];
  /** Part of the value that must not be recorded: the whole value, or the login in a URL. */
  readonly secret?: 'whole' | 'login';
  /** Values that the method accepts, where its schema takes any text because others are refused with a text of the method. */
  readonly values?: readonly string[];
}

export const requiredMark: unique symbol = Symbol('required');

/** Defines an argument that must be present; an explicit null is passed to the schema. */
export function required<T>(schema: Schema<T>, summary: string, aliases: readonly string[] = []): Arg<T> {
  return { schema, summary, fallback: requiredMark, shownDefault: '', aliases };
}

/** Defines an argument that may be absent or null; its value is then the fallback. */
export function optional<T, const F extends T | null>(
  schema: Schema<T>,
  fallback: F,
  summary: string,
  shownDefault = JSON.stringify(fallback),
): Arg<T | F> {
  return { schema, summary, fallback, shownDefault, aliases: [] };
}

/** Marks an argument as secret: the audit log shows its value without the secret part. */
export function secret<A>(what: 'whole' | 'login', arg: Arg<A>): Arg<A> {
  return { ...arg, secret: what };
}

/** Returns the argument with further names under which clients also send it. */
export function withAliases<T>(arg: Arg<T>, ...names: readonly string[]): Arg<T> {
  return { ...arg, aliases: names };
}

/** Returns the argument with the values that its method accepts, for clients that offer them. */
export function withValues<T>(arg: Arg<T>, values: readonly string[]): Arg<T> {
  return { ...arg, values };
}

/** The arguments of a method in declaration order. */
export type ArgSpecs = Readonly<Record<string, Arg<unknown>>>;

/** The parsed arguments that a handler receives. */
export type ArgsOf<A extends ArgSpecs> = {
  readonly [K in keyof A]: A[K] extends Arg<infer T> ? T : never;
};

function picklistOptions(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if ('wrapped' in schema) return picklistOptions(schema.wrapped);
  const isPicklist = 'type' in schema && schema.type === 'picklist';
  return isPicklist && 'options' in schema && Array.isArray(schema.options) ? schema.options.map(String) : [];
}

/** Returns the values that an argument accepts, as clients of the command line write them; empty when they are open. */
export function argValues({ values, schema }: Pick<Arg<unknown>, 'values' | 'schema'>): readonly string[] {
  if (values) return values;
  return Object.is(schema, flag) ? ['true', 'false'] : picklistOptions(schema);
}
