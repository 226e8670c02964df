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
