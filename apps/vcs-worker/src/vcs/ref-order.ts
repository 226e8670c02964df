import { setImmediate } from 'node:timers/promises';
import { entriesAtOnce } from './id-index.ts';
import type { Ref, RefQuery, SortedRefs } from './sorted-refs.ts';
import { sortTags } from './tag-order.ts';

/** Times of changesets in milliseconds since 1970, by full id; one whose time is not known counts as the oldest. */
type ChangesetTimes = ReadonlyMap<string, number>;

/**
 * Returns the positions of the references of a kind, among those of this kind by name, the newest first: branches and
 * bookmarks by date, tags by version.
 */
export async function newestFirst(refs: SortedRefs, kind: Ref['kind'], times: ChangesetTimes): Promise<Uint32Array> {
  const dated = Array.from({ length: refs.count(kind) }, (_, position) => {
    const { name, rawId, isClosed } = refs.nth(kind, position);
    return { name, isClosed, position, time: times.get(rawId) ?? -Infinity };
  });
  await setImmediate();
  const sorted =
    kind === 'tag'
      ? sortTags(dated)
      : dated.toSorted(
          (a, b) =>
            Number(a.isClosed) - Number(b.isClosed) ||
            Number(b.time > a.time) - Number(b.time < a.time) ||
            a.position - b.position,
        );
  return Uint32Array.from(sorted, ({ position }) => position);
}

/** Names of this length and less are in cursors. */
const cursorNameCharsMax = 255;

interface OrderedPage {
  readonly refs: readonly Ref[];
  readonly next: string | null;
}

interface OrderedQuery extends RefQuery {
  readonly kind: Ref['kind'];
  /** Positions as `newestFirst` returns them; null for the order by name. */
  readonly order: Uint32Array | null;
  /** A reference that is the first of the first page. */
  readonly first: Ref | null;
}

/** Returns the index after the reference of a cursor, `<index>:<name>`: that of its name or, when it is gone, the index. */
async function indexAfter(refs: SortedRefs, { cursor, kind }: OrderedQuery, at: (index: number) => number) {
  const [, index = '0', name = ''] = /^(\d+):(.*)$/s.exec(cursor ?? '') ?? [];
  const told = Math.min(Number(index), refs.count(kind));
  if (told === 0 || name === '' || refs.nth(kind, at(told - 1)).name === name) return told;
  for (let other = 0; other < refs.count(kind); other += 1) {
    if (other % entriesAtOnce === 0) await setImmediate();
    if (refs.nth(kind, at(other)).name === name) return other + 1;
  }
  return told - 1;
}

/** Returns a page of references in an order, and the cursor of the next page, null on the last one. */
export async function orderedPage(refs: SortedRefs, query: OrderedQuery): Promise<OrderedPage> {
  const { kind, order, first, cursor, limit } = query;
  const wanted = query.filter?.toLowerCase() ?? '';
  const isWanted = ({ name }: Ref) => name.toLowerCase().includes(wanted);
  const isFirst = (ref: Ref) => ref.name === first?.name && ref.isClosed === first.isClosed;
  const at = (index: number) => order?.[index] ?? index;
  const page: Ref[] = cursor === null && first && isWanted(first) ? [first] : [];
  let next = `${await indexAfter(refs, query, at)}:`;
  for (let index = Number.parseInt(next, 10); index < refs.count(kind); index += 1) {
    if (index % entriesAtOnce === 0) await setImmediate();
    const ref = refs.nth(kind, at(index));
    if (isFirst(ref) || !isWanted(ref)) continue;
    if (page.length === limit) return { refs: page, next };
    page.push(ref);
    next = `${index + 1}:${ref.name.length > cursorNameCharsMax ? '' : ref.name}`;
  }
  return { refs: page, next: null };
}
