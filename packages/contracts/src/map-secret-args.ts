import type { ArgSpecs } from './args/arg.ts';

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
