import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { NamedChangesets, Refs } from './backend.ts';
import { entriesAtOnce, idBytes, IdIndex } from './id-index.ts';
import type { FullName } from './revision.ts';

/** What a cursor says of the last reference of a page: its group, and its name or, of a long one, beginning and digest. */
interface RefCursor {
  readonly group: number;
  readonly name: string;
  readonly digest: string | null;
}

/** Longer names are shortened: the argument `cursor` has at most 5,001 characters. */
const nameCharsMax = 5_000;
const beginningChars = 4_900;
/** A pair of surrogates is not divided. No name that can be made today has a colon. */
const shortened = /^([^]{4899,4900}):([0-9a-f]{64})$/;

function digestOfName(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

/** Returns the cursor of the page after a reference. */
function refCursor(group: number, name: string): string {
  if (name.length <= nameCharsMax) return `${group}${name}`;
  const beginning = name.slice(0, beginningChars).replace(/[\uD800-\uDBFF]$/, '');
  return `${group}${beginning}:${digestOfName(name)}`;
}

function readRefCursor(cursor: string): RefCursor {
  const [group, sent] = [Number(cursor[0]), cursor.slice(1)];
  const [, name, digest] = shortened.exec(sent) ?? [];
  return name !== undefined && digest !== undefined ? { group, name, digest } : { group, name: sent, digest: null };
}

export interface Ref extends FullName {
  readonly rawId: string;
  readonly isClosed: boolean;
}

export interface RefQuery {
  readonly kind: Ref['kind'] | null;
  /** Part of the name, in upper or lower case. */
  readonly filter: string | null;
  /** The `next` of another page. */
  readonly cursor: string | null;
  readonly limit: number;
}

const groups = [
  { kind: 'branch', isClosed: false, of: (refs: Refs) => refs.branches },
  { kind: 'bookmark', isClosed: false, of: (refs: Refs) => refs.bookmarks },
  { kind: 'tag', isClosed: false, of: (refs: Refs) => refs.tags },
  { kind: 'branch', isClosed: true, of: (refs: Refs) => refs.closedBranches },
] as const;

/** How many long names are digested in one turn of the event loop. */
const digestsAtOnce = 64;

/** Memory of a name beside its characters, in bytes. */
const bytesOfName = 40;

/** Copies a name, which otherwise would keep the whole output of the tool in memory. */
const copied = (name: string): string => Buffer.from(name, 'utf8').toString('utf8');

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

/** The references of a repository by name: open branches, bookmarks, tags, closed branches. */
export class SortedRefs {
  readonly #names: readonly (readonly string[])[];
  /** The position of the first reference of each group. */
  readonly #starts: readonly number[];
  readonly #ids: Buffer;
  readonly #index: IdIndex;
  /** Memory in bytes. */
  readonly bytes: number;

  private constructor(names: readonly (readonly string[])[], ids: Buffer, index: IdIndex) {
    this.#names = names;
    this.#starts = names.map((_, group) => names.slice(0, group).reduce((sum, { length }) => sum + length, 0));
    this.#ids = ids;
    this.#index = index;
    const chars = names.flatMap((some) => some).reduce((sum, { length }) => sum + 2 * length + bytesOfName, 0);
    this.bytes = chars + ids.length + index.bytes + 1_000;
  }

  static async of(refs: Refs): Promise<SortedRefs> {
    const sorted: (readonly [string, string])[][] = [];
    for (const group of groups) sorted.push(await sortedByName(group.of(refs)));
    const all = sorted.flatMap((some) => some);
    const ids = Buffer.alloc(all.length * idBytes);
    const names = sorted.map((some) => some.map(([name]) => copied(name)));
    await setImmediate();
    for (const [position, [, rawId]] of all.entries()) ids.write(rawId, position * idBytes, 'hex');
    return new SortedRefs(names, ids, await IdIndex.of(ids));
  }

  count(kind: Ref['kind'] | null): number {
    return this.#groupsOf(kind).reduce((sum, group) => sum + this.#lengthOf(group), 0);
  }

  /** Returns a page of the references, and the cursor of the next page, null on the last one. */
  async page({ kind, filter, cursor, limit }: RefQuery): Promise<{ refs: Ref[]; next: string | null }> {
    const wanted = filter?.toLowerCase() ?? '';
    const after = cursor === null ? null : readRefCursor(cursor);
    const refs: Ref[] = [];
    let last = '';
    let looked = 0;
    for (const group of this.#groupsOf(kind)) {
      if (after && group < after.group) continue;
      const from = after?.group === group ? await this.#afterCursor(after) : 0;
      for (let index = from; index < this.#lengthOf(group); index += 1) {
        looked += 1;
        if (looked % entriesAtOnce === 0) await setImmediate();
        const name = this.#names[group]?.[index] ?? '';
        if (!name.toLowerCase().includes(wanted)) continue;
        if (refs.length === limit) return { refs, next: last };
        refs.push(this.#at(group, index));
        last = refCursor(group, name);
      }
    }
    return { refs, next: null };
  }

  /** Returns the reference of a kind at a position among those of this kind by name, closed branches last. */
  nth(kind: Ref['kind'], position: number): Ref {
    const [group = 0, closed = group] = this.#groupsOf(kind);
    const open = this.#lengthOf(group);
    return position < open ? this.#at(group, position) : this.#at(closed, position - open);
  }

  /** Returns whether the names of references begin with this text. */
  hasNamesAfter(beginning: string): boolean {
    return this.#names.some((names, group) => names[this.#after(group, beginning)]?.startsWith(beginning));
  }

  /** Returns the reference of a name: an open branch, else a closed one, of any kind when `kind` is null. */
  find(kind: Ref['kind'] | null, name: string): Ref | null {
    for (const group of this.#groupsOf(kind)) {
      const index = this.#after(group, name) - 1;
      if (this.#names[group]?.[index] === name) return this.#at(group, index);
    }
    return null;
  }

  /** Returns the first references to a changeset, and how many there are. */
  to(rawId: string, limit: number): { refs: Ref[]; count: number } {
    const refs: Ref[] = [];
    let count = 0;
    for (const position of this.#index.positionsOf(rawId)) {
      count += 1;
      if (refs.length === limit) continue;
      const group = this.#starts.findLastIndex((start) => start <= position);
      refs.push(this.#at(group, position - (this.#starts[group] ?? 0)));
    }
    return { refs, count };
  }

  #groupsOf(kind: Ref['kind'] | null): number[] {
    return groups.flatMap((group, number) => (kind === null || group.kind === kind ? [number] : []));
  }

  #lengthOf(group: number): number {
    return this.#names[group]?.length ?? 0;
  }

  /** Returns the index of the first name of a group that comes after this one. */
  #after(group: number, name: string): number {
    const names = this.#names[group] ?? [];
    let low = 0;
    for (let high = names.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((names[middle] ?? '') > name) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Returns the index after the reference of a cursor. When one with a long name is gone, those that begin alike come again. */
  async #afterCursor({ group, name, digest }: RefCursor): Promise<number> {
    const next = this.#after(group, name);
    if (digest === null) return next;
    const names = this.#names[group] ?? [];
    for (let index = next; index < names.length; index += 1) {
      const named = names[index] ?? '';
      if (!named.startsWith(name)) break;
      if (digestOfName(named) === digest) return index + 1;
      if (index % digestsAtOnce === 0) await setImmediate();
    }
    return next;
  }

  #at(group: number, index: number): Ref {
    const position = (this.#starts[group] ?? 0) + index;
    const rawId = this.#ids.toString('hex', position * idBytes, (position + 1) * idBytes);
    const { kind, isClosed } = groups[group] ?? groups[0];
    return { kind, name: this.#names[group]?.[index] ?? '', rawId, isClosed };
  }
}

async function sortedByName(named: NamedChangesets): Promise<(readonly [string, string])[]> {
  await setImmediate();
  return [...named].toSorted(byName);
}
