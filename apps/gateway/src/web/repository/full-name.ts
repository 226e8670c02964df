import type { RefRecord } from '@trunkline/contracts';
import type { RepositoryHead } from './repository-head.ts';

type Type = RepositoryHead['repo_type'];

function withKind(type: Type, kind: RefRecord['kind'], name: string): string {
  if (type === 'git') return `refs/${kind === 'tag' ? 'tags' : 'heads'}/${name}`;
  return `${kind === 'bookmark' ? 'book' : kind}:${name}`;
}

/** Workers take no longer name as a revision. */
const nameCharsMax = 255;

/**
 * Returns the revision that means this reference alone, whatever number, id or reference of another kind has its name:
 * the name in full or, where it is too long, the id.
 */
export function fullName(type: Type, { kind, name, raw_id: rawId }: Omit<RefRecord, 'closed'>): string {
  return name.length > nameCharsMax ? rawId : withKind(type, kind, name);
}

/** Returns a revision for workers of release 0.1, which know no full names of Mercurial. */
export function withoutKind(type: Type, revision: string): string {
  return type === 'hg' ? revision.replace(/^(?:book|branch|tag):/, '') : revision;
}

/**
 * Returns the revision that pages show first: `tip` for an empty setting, and the full name where the setting tells the
 * kind, as in `branch:2`. Clients of older services also store `rev:`, which tells none.
 */
export function landingRevision({
  repo_type: type,
  landing_rev: landingRev,
}: Pick<RepositoryHead, 'repo_type' | 'landing_rev'>): string {
  const [, told = 'rev', name = landingRev] = /^(rev|branch|tag|book):(.*)$/s.exec(landingRev) ?? [];
  if (name === '') return 'tip';
  if (told === 'rev') return name;
  return type === 'git' && (told === 'branch' || told === 'tag') ? withKind(type, told, name) : landingRev;
}
