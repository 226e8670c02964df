import { NotFoundError } from '@trunkline/contracts';

/** The one of these permissions that an argument names. */
export function requirePermission<P extends string>(perm: string | null, known: readonly P[]): P {
  const found = known.find((one) => one === perm);
  if (found === undefined) throw new NotFoundError(`permission \`${perm ?? 'None'}\` does not exist`);
  return found;
}
