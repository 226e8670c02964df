import type { ServedName } from '@trunkline/contracts';

/** The reads whose results depend on the repository's bytes and the arguments alone: not on the caller, rows or time. */
const names: ReadonlySet<ServedName> = new Set<ServedName>([
  'get_changeset',
  'get_changesets',
  'get_repo_nodes',
  'get_repo_refs',
  'list_refs',
  'refs_of',
  'view_path',
]);

/** Returns whether replies of a method are kept by the repository's generation. */
export function keepsReply(name: ServedName): boolean {
  return names.has(name);
}
