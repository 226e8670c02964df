import { AuthenticationError, limitedKeyText } from '@trunkline/contracts';
import type { Authenticate } from './authenticate.ts';

/**
 * Refuses limited keys, which only clients of version control systems may use. The refusal comes after all others, so
 * that nobody learns of a key who could not use it.
 */
export function refuseLimitedKeys(authenticate: Authenticate): Authenticate {
  return async (apiKey, ip) => {
    const identity = await authenticate(apiKey, ip);
    if (identity.limitedTo !== null) throw new AuthenticationError(limitedKeyText(identity.limitedTo));
    return identity;
  };
}
