import { ConflictError } from '@trunkline/contracts';

/** What an operation did; some tell that there was nothing to do where a form has to. */
export function requireSuccess({ success, msg }: { readonly success: boolean; readonly msg: string }): string {
  if (!success) throw new ConflictError(msg);
  return msg;
}
