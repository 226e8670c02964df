import { NotFoundError } from '@trunkline/contracts';

/** Returns the error for a permission that does not exist, or that the argument does not accept. */
export function permissionNotFound(perm: string | null): NotFoundError {
  return new NotFoundError(`permission \`${perm ?? 'None'}\` does not exist`);
}

/** Returns the permission that an argument names; throws NotFoundError when it is not in the list. */
export function requirePermission<P extends string>(perm: string | null, known: readonly P[]): P {
  const found = known.find((one) => one === perm);
  if (found === undefined) throw permissionNotFound(perm);
  return found;
}
