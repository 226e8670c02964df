import { hasCode } from '../has-code.ts';

/** Ignores that a file system became read-only; throws any other error. */
export function ignoreReadOnly(error: unknown): void {
  if (!hasCode(error, 'EROFS')) throw error;
}
