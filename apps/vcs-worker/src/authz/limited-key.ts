import { AuthenticationError, ForbiddenError, limitedKeyText, type KeyLimit, type Method } from '@trunkline/contracts';

/** The limit of the caller's API key; null for a key without one, and for other credentials. */
export interface LimitedCaller {
  readonly limitedTo: KeyLimit | null;
}

/** Throws AuthenticationError when the caller has a limited key and the method is not for such keys. */
export function requireKeyForMethod({ limitedTo }: LimitedCaller, { limitedKeys }: Pick<Method, 'limitedKeys'>): void {
  if (limitedTo !== null && limitedKeys === undefined) throw new AuthenticationError(limitedKeyText(limitedTo));
}

/** Throws ForbiddenError when the caller has a key that is limited to clone and fetch. */
export function requirePushKey({ limitedTo }: LimitedCaller): void {
  if (limitedTo === 'fetch') throw new ForbiddenError(limitedKeyText(limitedTo));
}
