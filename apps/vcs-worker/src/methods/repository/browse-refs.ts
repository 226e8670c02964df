import { type DescribedRefRecord, toChangesetDate } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { toRefRecord, withRefs, type RepositoryReads } from '../../domain/repo/read-repository.ts';
import { countAheadBehind, type AheadBehind } from '../../vcs/ahead-behind.ts';
import type { DescribedRef } from '../../vcs/backend.ts';
import { newestFirst, orderedPage } from '../../vcs/ref-order.ts';
import type { Ref, SortedRefs } from '../../vcs/sorted-refs.ts';
import type { MethodHandler } from '../context.ts';

/** Time for counting changesets; a list that takes longer comes without the numbers. */
const countMsMax = 2_000;
const aboutCharsMax = 300;
const messageCharsMax = 4_000;
const whoCharsMax = 300;

/** Cuts a text, never within a pair of surrogates. */
function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Returns the reference with which pages begin; null for none. */
async function findDefault({ backend, path }: RepositoryReads, refs: SortedRefs): Promise<Ref | null> {
  const found = await backend.defaultRef(path);
  return found && refs.find(found.kind, found.name);
}

function toRecord(ref: Ref, described: DescribedRef | undefined, counts: AheadBehind | undefined): DescribedRefRecord {
  const { changeset = null, tag = null } = described ?? {};
  return {
    ...toRefRecord(ref),
    changeset: changeset && {
      author: cut(changeset.author, whoCharsMax),
      date: toChangesetDate(changeset.date),
      about: cut(changeset.message.trim().split(/[\r\n]/, 1)[0] ?? '', aboutCharsMax),
      has_signature: changeset.isSigned,
    },
    tag: tag && {
      tagger: cut(tag.tagger, whoCharsMax),
      date: toChangesetDate(tag.date),
      message: cut(tag.message.trim(), messageCharsMax),
      has_signature: tag.isSigned,
    },
    ahead: counts?.ahead ?? null,
    behind: counts?.behind ?? null,
  };
}

type Handler = MethodHandler<'browse_refs'>;

const readPage = async ({ repoid, kind, ...args }: Parameters<Handler>[0], context: Parameters<Handler>[1]) =>
  withRefs(repoid, context, async (sorted, at) => {
    const { backend, path } = at;
    const repository = requireRepository(context.access, repoid);
    const newest = async (of: Ref['kind']) => {
      const read = async (shared: AbortSignal) => newestFirst(sorted, of, await backend.forCall(shared).refTimes(path));
      return context.contentCaches.refOrders.get(repository, [of], read, context.signal);
    };
    const first = await findDefault(at, sorted);
    const order = args.order === 'name' || sorted.count(kind) < 2 ? null : await newest(kind);
    const page = await orderedPage(sorted, { ...args, kind, order, first: first?.kind === kind ? first : null });
    const described = await backend.describeRefs(path, page.refs);
    const rawIds = page.refs.map(({ rawId }) => rawId);
    const until = AbortSignal.timeout(countMsMax);
    const counts = first && (await countAheadBehind(backend, path, { base: first.rawId, rawIds, until }));
    return {
      refs: page.refs.map((ref, index) => toRecord(ref, described[index], counts?.get(ref.rawId))),
      next: page.next,
      total: sorted.count(kind),
      default_ref: first && toRefRecord(first),
    };
  });

export const browseRefs: Handler = async (args, context) => {
  const repository = requireRepository(context.access, args.repoid);
  const { kind, order, filter, limit, cursor } = args;
  const key = [repository.name, kind, order, filter ?? '', String(limit), cursor ?? ''];
  const read = (signal: AbortSignal) => readPage(args, { ...context, signal });
  return context.contentCaches.refPages.get(repository, key, read, context.signal);
};
