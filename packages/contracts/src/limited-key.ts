/** What a limited API key is for: clones and fetches, or pushes as well. */
export const keyLimits = ['fetch', 'push'] as const;

export type KeyLimit = (typeof keyLimits)[number];

/** How many repositories one limited key may name. */
export const keyRepositoriesMax = 50;

const limitedTo: Readonly<Record<KeyLimit, string>> = { fetch: 'clone and fetch', push: 'clone, fetch and push' };

/** Returns the client's text where a key is used for more than its limit; only who has the key receives it. */
export function limitedKeyText(limit: KeyLimit): string {
  return `This API key is limited to ${limitedTo[limit]}`;
}
