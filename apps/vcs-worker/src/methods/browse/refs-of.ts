import { toRefRecord, withRefs } from '../../domain/repo/with-refs.ts';
import type { MethodHandler } from '../context.ts';

const shownMax = 12;

export const refsOf: MethodHandler<'refs_of'> = async ({ repoid, raw_ids: rawIds }, context) =>
  withRefs(repoid, context, (sorted) =>
    rawIds.map((rawId) => {
      const { refs, count } = sorted.to(rawId, shownMax);
      return { raw_id: rawId, refs: refs.map(toRefRecord), count };
    }),
  );
