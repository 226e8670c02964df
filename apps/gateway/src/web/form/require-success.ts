import { ConflictError } from '@trunkline/contracts';

/** Throws ConflictError, which refuses a form, when the form's method answers that there was nothing to do. */
export function requireSuccess({ success, msg }: { readonly success: boolean; readonly msg: string }): void {
  if (!success) throw new ConflictError(msg);
}
