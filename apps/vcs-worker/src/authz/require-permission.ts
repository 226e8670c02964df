import { NotFoundError } from '@trunkline/contracts';

/** What a client hears of a permission that is none, or none here. */
export function permissionNotFound(perm: string | null): NotFoundError {
  return new NotFoundError(`permission \`${perm ?? 'None'}\` does not exist`);
}

/** The one of these permissions that an argument names. */
export function requirePermission<P extends string>(perm: string | null, known: readonly P[]): P {
  const found = known.find((one) => one === perm);
  if (found === undefined) throw permissionNotFound(perm);
  return found;
}
