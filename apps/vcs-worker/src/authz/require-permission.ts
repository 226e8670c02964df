import { NotFoundError } from '@trunkline/contracts';

/** The error for a permission that does not exist, or not for this argument. */
export function permissionNotFound(perm: string | null): NotFoundError {
  return new NotFoundError(`permission \`${perm ?? 'None'}\` does not exist`);
}

/** The permission of this list that an argument names. */
export function requirePermission<P extends string>(perm: string | null, known: readonly P[]): P {
  const found = known.find((one) => one === perm);
  if (found === undefined) throw permissionNotFound(perm);
  return found;
}
