import * as v from 'valibot';
import { type Arg, type ArgsOf, type ArgSpecs, requiredMark } from './args/arg.ts';
import { InvalidArgsError } from './errors.ts';

type Sent = { readonly present: boolean; readonly value: unknown };

function findSent(sent: object, name: string, arg: Arg<unknown>): Sent {
  for (const known of [name, ...arg.aliases]) {
    // Only own members are read, so that `__proto__` and `constructor` are names like any other.
    const descriptor = Object.getOwnPropertyDescriptor(sent, known);
    if (descriptor) return { present: true, value: descriptor.value };
  }
  return { present: false, value: undefined };
}

function parseOne(name: string, arg: Arg<unknown>, { present, value }: Sent): unknown {
  if (arg.fallback !== requiredMark && (!present || value === null)) return arg.fallback;
  const parsed = v.safeParse(arg.schema, value, { abortEarly: true });
  if (parsed.success) return parsed.output;
  throw new InvalidArgsError(`Invalid value for \`${name}\`: ${parsed.issues[0].message}`);
}

function membersOf(sent: unknown): object {
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent) ? sent : {};
}

/** Returns the values that the client sent for the method's arguments, unparsed; aliases are replaced by the names. */
export function sentArgs(specs: ArgSpecs, sent: unknown): Record<string, unknown> {
  const members = membersOf(sent);
  const found = Object.entries(specs).map(([name, arg]) => [name, findSent(members, name, arg)] as const);
  return Object.fromEntries(found.filter(([, { present }]) => present).map(([name, { value }]) => [name, value]));
}

/**
 * Parses the arguments for a handler. Unknown members are ignored; a value that is no object counts as no arguments.
 * Throws InvalidArgsError for missing arguments before wrong ones, both in declaration order.
 */
export function parseArgs<A extends ArgSpecs>(specs: A, sent: unknown): ArgsOf<A>;
export function parseArgs(specs: ArgSpecs, sent: unknown): Record<string, unknown> {
  const members = membersOf(sent);
  const found = Object.entries(specs).map(([name, arg]) => ({ name, arg, sent: findSent(members, name, arg) }));
  for (const { name, arg, sent: one } of found) {
    if (arg.fallback === requiredMark && !one.present) {
      throw new InvalidArgsError(`Missing non optional \`${name}\` arg in JSON DATA`);
    }
  }
  return Object.fromEntries(found.map(({ name, arg, sent: one }) => [name, parseOne(name, arg, one)]));
}

/**
 * Returns the arguments as sent, with `change` applied to the value of each secret argument, also under an alias.
 * Gateways seal the values of a command with it, and workers decrypt them.
 */
export function mapSecretArgs(specs: ArgSpecs, sent: unknown, change: (value: unknown) => unknown): unknown {
  const secrets = Object.entries(specs).filter(([, { secret }]) => secret !== undefined);
  if (secrets.length === 0 || typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  const names = new Set(secrets.flatMap(([name, { aliases }]) => [name, ...aliases]));
  const changed = Object.entries(sent).map(([name, value]) => {
    return [name, names.has(name) && value !== undefined ? change(value) : value] as const;
  });
  return Object.fromEntries(changed);
}
