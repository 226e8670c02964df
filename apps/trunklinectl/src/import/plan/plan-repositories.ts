import { levels } from '@trunkline/contracts';
import type { Source, SourceRepository } from '../source/source.ts';
import { deriveRows, sourceLevel } from './levels.ts';
import { type Finding, tellRights } from './finding.ts';
import { membersOf } from './plan-groups.ts';
import type { PlannedRepository } from './plan.ts';

const schemes = { hg: /^(?:https?|ssh):$/, git: /^(?:https?|ssh|git):$/ } as const;

/** Returns whether a remote location can be pulled from here; what it holds is shown nowhere. */
export function isRemote(type: 'hg' | 'git', cloneUri: string): boolean {
  return URL.canParse(cloneUri) && schemes[type].test(new URL(cloneUri).protocol) && new URL(cloneUri).hostname !== '';
}

const descriptionCharsMax = 10_000;

/** Orders repositories so that each fork comes after its source; one that leads back to itself has no source. */
function sourcesFirst(repositories: readonly PlannedRepository[]): PlannedRepository[] {
  const byId = new Map(repositories.map((one) => [one.id, one]));
  const ordered = new Map<number, PlannedRepository>();
  const visit = (one: PlannedRepository) => {
    const above: PlannedRepository[] = [];
    const seen = new Set<number>();
    for (
      let next: PlannedRepository | undefined = one;
      next && !ordered.has(next.id) && !seen.has(next.id);
      next = next.forkOfId === null ? undefined : byId.get(next.forkOfId)
    ) {
      above.push(next);
      seen.add(next.id);
    }
    for (const next of above.toReversed()) {
      const hasSource = next.forkOfId !== null && ordered.has(next.forkOfId);
      ordered.set(next.id, hasSource ? next : { ...next, forkOfId: null });
    }
  };
  for (const one of repositories) visit(one);
  return [...ordered.values()];
}

function cloneUriHere(repository: SourceRepository, type: 'hg' | 'git', about: string, findings: Finding[]) {
  const { cloneUri } = repository;
  if (cloneUri === null || isRemote(type, cloneUri)) return cloneUri;
  findings.push({
    kind: 'left out',
    about,
    what: 'clone_uri: its scheme is none from which repositories are pulled here',
  });
  return null;
}

export function planRepositories(
  source: Source,
  names: ReadonlyMap<number, string>,
  findings: Finding[],
): PlannedRepository[] {
  const members = membersOf(source);
  const userIds = new Set(source.users.map(({ id }) => id).filter((id) => id !== source.defaultUserId));
  const planned = source.repositories.flatMap((one): PlannedRepository[] => {
    const { id, type, createdAt, forkOfId, grants, lock } = one;
    const about = `repository ${one.name}`;
    const name = names.get(id);
    if (name === undefined) return [];
    if (type !== 'hg' && type !== 'git') {
      findings.push({ kind: 'refused', about, what: `its type \`${type}\` is unknown` });
      return [];
    }
    const ownerId = one.ownerId !== null && userIds.has(one.ownerId) ? one.ownerId : null;
    const granted = { rule: source.rule, grants, ownerId: one.ownerId, private: one.private };
    const rows = deriveRows(granted, members);
    const levelOf = (userId: number) => sourceLevel(granted, members, userId);
    tellRights(source, rows, about, findings);
    const everyone = grants.users.get(source.defaultUserId) ?? [];
    if (one.private && everyone.some((level) => level > levels.none)) {
      findings.push({ kind: 'rights', about, what: 'it is private: the row of `default` has no effect' });
    }
    const profile = {
      private: one.private,
      description: one.description.replaceAll('\0', '').slice(0, descriptionCharsMax),
      landingRev: one.landingRev,
      enableDownloads: one.enableDownloads,
      enableLocking: one.enableLocking,
      enableStatistics: one.enableStatistics,
      cloneUri: cloneUriHere(one, type, about, findings),
      ownerId,
      lock: lock && userIds.has(lock.userId) ? lock : null,
    };
    const followerIds = one.followerIds.filter((follower) => userIds.has(follower));
    return [{ id, name, directory: one.name, type, profile, createdAt, forkOfId, followerIds, rows, levelOf }];
  });
  return sourcesFirst(planned);
}
