import { createHash } from 'node:crypto';

/** What a cursor says of the last reference of a page: its group, and its name or, of a long one, beginning and digest. */
export interface RefCursor {
  readonly group: number;
  readonly name: string;
  readonly digest: string | null;
}

/** Longer names are shortened: the argument `cursor` has at most 5,001 characters. */
const nameCharsMax = 5_000;
const beginningChars = 4_900;
/** A pair of surrogates is not divided. No name that can be made today has a colon. */
const shortened = /^([^]{4899,4900}):([0-9a-f]{64})$/;

export function digestOfName(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

/** Returns the cursor of the page after a reference. */
export function refCursor(group: number, name: string): string {
  if (name.length <= nameCharsMax) return `${group}${name}`;
  const beginning = name.slice(0, beginningChars).replace(/[\uD800-\uDBFF]$/, '');
  return `${group}${beginning}:${digestOfName(name)}`;
}

export function readRefCursor(cursor: string): RefCursor {
  const [group, sent] = [Number(cursor[0]), cursor.slice(1)];
  const [, name, digest] = shortened.exec(sent) ?? [];
  return name !== undefined && digest !== undefined ? { group, name, digest } : { group, name: sent, digest: null };
}
