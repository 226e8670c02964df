/** The role ladder on a repository or repository group, as stored and compared. */
export const levels = { none: 0, read: 1, write: 3, admin: 4 } as const;

export type LevelName = keyof typeof levels;

const namesByValue = new Map<number, LevelName>([
  [levels.none, 'none'],
  [levels.read, 'read'],
  [levels.write, 'write'],
  [levels.admin, 'admin'],
]);

/** Whether a word is the name of a level, as in `repository.<word>`. */
export function isLevelName(word: string | undefined): word is LevelName {
  return word !== undefined && Object.hasOwn(levels, word);
}

/** The name of a stored level; values outside the ladder read as none. */
export function levelName(value: number): LevelName {
  return namesByValue.get(value) ?? 'none';
}

/** Whether a stored level is at least the one that a method asks for. */
export function reaches(value: number, wanted: LevelName): boolean {
  return value >= levels[wanted];
}
