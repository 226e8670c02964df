import type { Source } from '../source/source.ts';
import type { DerivedRows } from './levels.ts';

/** What is not brought over as it is, in a sentence for the operator; nothing in it is secret. */
export interface Finding {
  readonly kind: FindingKind;
  /** Kind and name in the source, such as `user ann`. */
  readonly about: string;
  readonly what: string;
  /** The name or value here, where it is another one. */
  readonly proposed?: string;
}

export type FindingKind = 'renamed' | 'refused' | 'replaced' | 'left out' | 'rights' | 'weak key' | 'differs' | 'kept';

const shownMax = 20;

/** Lists names in backticks, the first of many. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, shownMax).map((name) => `\`${name}\``);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** Tells where rows here differ from those of the source, so that each user keeps the level. */
export function tellRights(source: Source, rows: DerivedRows, about: string, findings: Finding[]): void {
  const users = () => new Map(source.users.map(({ id, username }) => [id, username]));
  const groups = () => new Map(source.userGroups.map(({ id, name }) => [id, name]));
  const tell = (what: string, ids: readonly number[], namesOf: () => ReadonlyMap<number, string>) => {
    if (ids.length === 0) return;
    const names = namesOf();
    findings.push({
      kind: 'rights',
      about,
      what: `${what}: ${listNames(ids.map((id) => names.get(id) ?? String(id)))}`,
    });
  };
  tell('rows of users without effect are left out', rows.droppedUsers, users);
  tell('rows of user groups without effect are left out', rows.droppedGroups, groups);
  tell('users get a row of their own, with the level that they have', rows.addedUsers, users);
}
