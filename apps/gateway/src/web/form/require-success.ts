import { ConflictError } from '@trunkline/contracts';

/** Refuses a form when its method answers that there was nothing to do. */
export function requireSuccess({ success, msg }: { readonly success: boolean; readonly msg: string }): void {
  if (!success) throw new ConflictError(msg);
}
