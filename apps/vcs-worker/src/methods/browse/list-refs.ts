import { toRefRecord, withRefs } from '../../domain/repo/with-refs.ts';
import type { MethodHandler } from '../context.ts';

export const listRefs: MethodHandler<'list_refs'> = async (args, context) =>
  withRefs(args.repoid, context, async (sorted) => {
    const { refs, next } = await sorted.page(args);
    const named = args.named === null ? null : sorted.find(args.kind, args.named);
    return { refs: refs.map(toRefRecord), next, total: sorted.count(args.kind), named: named && toRefRecord(named) };
  });
