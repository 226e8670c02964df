import type { RefsRecord } from '@trunkline/contracts';
import { toRefRecord, withRefs, type RepositoryReads } from '../../domain/repo/read-repository.ts';
import { meaningOf, namedBeginning } from '../../vcs/name-meaning.ts';
import type { Ref, SortedRefs } from '../../vcs/sorted-refs.ts';
import type { MethodHandler } from '../context.ts';

function toRefsRecord(refs: readonly Ref[]): RefsRecord {
  const named = (kind: Ref['kind'], closed = false) =>
    Object.fromEntries(
      refs.filter((ref) => ref.kind === kind && ref.isClosed === closed).map(({ name, rawId }) => [name, rawId]),
    );
  return {
    bookmarks: named('bookmark'),
    branches: named('branch'),
    branches_closed: named('branch', true),
    tags: named('tag'),
  };
}

export const getRepoRefs: MethodHandler<'get_repo_refs'> = async ({ repoid, limit, cursor }, context) =>
  withRefs(repoid, context, async (sorted) => {
    const { refs, next } = await sorted.page({ kind: null, filter: null, limit, cursor });
    return { ...toRefsRecord(refs), ...(next !== null && { next }) };
  });

async function meaningRecord(text: string, refs: SortedRefs, { type, backend, path }: RepositoryReads) {
  const { takenFor, others, prefix } = meaningOf(type, text, refs);
  return {
    taken_for: takenFor,
    others: others.map(toRefRecord),
    prefix_of: prefix === null ? null : await backend.findByPrefix(path, prefix),
    beginning: namedBeginning(type, text, refs),
    is_beginning: refs.hasNamesAfter(`${text}/`),
  };
}

export const listRefs: MethodHandler<'list_refs'> = async (args, context) =>
  withRefs(args.repoid, context, async (sorted, at) => {
    const { refs, next } = await sorted.page(args);
    const page = { refs: refs.map(toRefRecord), next, total: sorted.count(args.kind) };
    if (args.named === null) return { ...page, named: null };
    const named = sorted.find(args.kind, args.named);
    const meaning = await meaningRecord(args.named, sorted, at);
    return { ...page, named: named && toRefRecord(named), meaning };
  });

const shownMax = 12;

export const refsOf: MethodHandler<'refs_of'> = async ({ repoid, raw_ids: rawIds }, context) =>
  withRefs(repoid, context, (sorted) =>
    rawIds.map((rawId) => {
      const { refs, count } = sorted.to(rawId, shownMax);
      return { raw_id: rawId, refs: refs.map(toRefRecord), count };
    }),
  );
