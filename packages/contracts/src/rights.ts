/** Permission levels on a repository or repository group, as the numbers that are stored and compared. */
export const levels = { none: 0, read: 1, write: 3, admin: 4 } as const;

export type LevelName = keyof typeof levels;

export const levelNames: readonly string[] = Object.keys(levels);

const namesByValue = new Map<number, LevelName>([
  [levels.none, 'none'],
  [levels.read, 'read'],
  [levels.write, 'write'],
  [levels.admin, 'admin'],
]);

/** Returns whether a word is the name of a level, as in `repository.<word>`. */
export function isLevelName(word: string | undefined): word is LevelName {
  return word !== undefined && Object.hasOwn(levels, word);
}

/** Returns the name of a stored level; `none` for a number that is no level. */
export function levelName(value: number): LevelName {
  return namesByValue.get(value) ?? 'none';
}

/** Returns whether a stored level is at least the level that a method requires. */
export function reaches(value: number, wanted: LevelName): boolean {
  return value >= levels[wanted];
}

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
