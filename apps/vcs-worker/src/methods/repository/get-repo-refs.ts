import type { RefsRecord } from '@trunkline/contracts';
import { withRefs } from '../../domain/repo/with-refs.ts';
import type { Ref } from '../../vcs/sorted-refs.ts';
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
