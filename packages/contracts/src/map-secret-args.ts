import type { ArgSpecs } from './args/arg.ts';

/** The arguments as sent, with `change` applied to those that hold a secret, whichever of its names each has. */
export function mapSecretArgs(specs: ArgSpecs, sent: unknown, change: (value: unknown) => unknown): unknown {
  const secrets = Object.entries(specs).filter(([, { secret }]) => secret !== undefined);
  if (secrets.length === 0 || typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  const names = new Set(secrets.flatMap(([name, { alsoNamed }]) => [name, ...alsoNamed]));
  const changed = Object.entries(sent).map(([name, value]) => {
    return [name, names.has(name) && value !== undefined ? change(value) : value] as const;
  });
  return Object.fromEntries(changed);
}
