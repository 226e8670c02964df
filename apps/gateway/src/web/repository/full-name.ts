import type { RefRecord } from '@trunkline/contracts';
import { isAddressable } from './files/file-address.ts';
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

/** Returns the revision by which links name a reference: in full or, where an address cannot have its name, by the id. */
export function linkedName(type: Type, ref: Omit<RefRecord, 'closed'>): string {
  return isAddressable(ref.name) && !ref.name.includes('...') ? fullName(type, ref) : ref.raw_id;
}

/** Returns a revision for workers of release 0.1, which know no full names of Mercurial. */
export function withoutKind(type: Type, revision: string): string {
  return type === 'hg' ? revision.replace(/^(?:book|branch|tag):/, '') : revision;
}

/** Returns whether owners have set what pages show first: `rev:tip`, the default, and an empty setting say nothing. */
export function hasLandingRevision({ landing_rev: landingRev }: Pick<RepositoryHead, 'landing_rev'>): boolean {
  return !/^(?:rev:)?tip$|^(?:(?:rev|branch|tag|book):)?$/.test(landingRev);
}

/**
 * Returns the revision that pages show first: that of the setting, as a full name where it tells the kind, as in `branch:2`,
 * else the default branch, else `tip`. Clients of older services also store `rev:`, which tells no kind.
 */
export function landingRevision({
  repo_type: type,
  landing_rev: landingRev,
  default_ref: ref = null,
}: Pick<RepositoryHead, 'repo_type' | 'landing_rev' | 'default_ref'>): string {
  if (!hasLandingRevision({ landing_rev: landingRev })) {
    if (!ref) return 'tip';
    return isAddressable(ref.name) ? fullName(type, ref) : ref.raw_id;
  }
  const [, told = 'rev', name = landingRev] = /^(rev|branch|tag|book):(.*)$/s.exec(landingRev) ?? [];
  if (told === 'rev') return name;
  return type === 'git' && (told === 'branch' || told === 'tag') ? withKind(type, told, name) : landingRev;
}
