import { createGrants } from './grants.ts';
import { metadataReads, wholeReads } from './reads.ts';
import { addLarge, createWholeListings } from './whole-listings.ts';
import { createCreations, createUpdates } from './writes.ts';
import { apiRequest, type SampleFactory } from '../load/bench-request.ts';
import { pickFrom } from '../load/pick.ts';
import { openStage, type Stage } from '../stage.ts';
import { mainBranch } from '../../harness/unique-name.ts';

/** A call, and what Kallithea 0.7.99 answered a second on two cores, at one connection and at 8 and more. */
export interface Reached {
  readonly sample: SampleFactory;
  readonly kallithea: Readonly<{ one: number; many: number }>;
  /** Multiples of it that are the goal. */
  readonly goal: Readonly<{ one: number; many: number }>;
}

const fast = { one: 5, many: 20 };

/** Repositories of which all people are members; Kallithea's figures are of repositories with a handful. */
const crowded = 20;

async function addCrowded({ sql, people, repositoryIds }: Stage): Promise<void> {
  await sql`insert into user_repository_permissions (user_id, repository_id, level)
    select u, r, 1 from unnest(${people.map(({ id }) => id)}::int[]) u, unnest(${repositoryIds.slice(0, crowded)}::int[]) r
    on conflict do nothing`;
}

/** Starts a service with what these calls read: 200 people, five of them members of each repository, and the large ones. */
export async function openReachStage(own: Readonly<Record<string, string>>): Promise<Stage> {
  const stage = await openStage(own, { people: 200, members: 5 });
  try {
    await addLarge(stage);
    await addCrowded(stage);
    return stage;
  } catch (error) {
    await stage.close();
    throw error;
  }
}

export function reachedReads(stage: Stage): Readonly<Record<string, Reached>> {
  const { people, admins } = stage;
  const whole = Object.values(wholeReads(stage));
  const { repositoryIds } = stage;
  const { get_repo: getRepo } = metadataReads({ ...stage, repositoryIds: repositoryIds.slice(crowded) });
  const { get_repo: getCrowded } = metadataReads({ ...stage, repositoryIds: repositoryIds.slice(0, crowded) });
  const none: SampleFactory = () => () => {
    throw new Error('no such read');
  };
  return {
    get_ip: {
      sample: (random) => () => {
        const { key } = pickFrom(admins, random);
        return apiRequest('get_ip', key, 'get_ip', { userid: pickFrom(people, random).name });
      },
      kallithea: { one: 329, many: 296 },
      goal: fast,
    },
    get_repo: { sample: getRepo ?? none, kallithea: { one: 159, many: 135 }, goal: fast },
    'get_repo, 200 members': { sample: getCrowded ?? none, kallithea: { one: 159, many: 135 }, goal: fast },
    'get_user, 1,000 permissions': { sample: whole[0] ?? none, kallithea: { one: 27, many: 24 }, goal: fast },
    'get_repo_nodes, 5,050 of git': {
      sample: createWholeListings(stage, 'git', mainBranch),
      kallithea: { one: 12, many: 11.5 },
      goal: fast,
    },
    'get_repo_nodes, 5,050 of hg': {
      sample: createWholeListings(stage, 'hg', 'default'),
      kallithea: { one: 12, many: 11.5 },
      goal: fast,
    },
    'get_repos, all 1,000': {
      sample: whole[1] ?? none,
      kallithea: { one: 4.3, many: 4.5 },
      goal: { one: 60, many: 60 },
    },
  };
}

/** Writes; `round` makes the names of creations new. */
export function reachedWrites(stage: Stage, round: string): Readonly<Record<string, Reached>> {
  return {
    grant_user_permission: {
      sample: createGrants(stage).createSample,
      kallithea: { one: 134, many: 111 },
      goal: { one: 3, many: 8 },
    },
    'create_repo, git': {
      sample: createCreations(stage, 'git', round),
      kallithea: { one: 71, many: 63 },
      goal: { one: 2, many: 5 },
    },
    'create_repo, hg': {
      sample: createCreations(stage, 'hg', round),
      kallithea: { one: 48, many: 54 },
      goal: { one: 2, many: 3 },
    },
  };
}

const writeShare = 0.05;

/** Adds 5 % writes: grants, creations, changed descriptions and new generations of the large repositories. */
export function withWrites(read: SampleFactory, stage: Stage, round: string): SampleFactory {
  const writes: readonly SampleFactory[] = [
    createGrants(stage).createSample,
    createCreations(stage, 'git', round),
    createUpdates(stage),
    (random) => () => {
      const args = { repoid: random.pick(['large-git', 'large-hg']) };
      return apiRequest('invalidate_cache', pickFrom(stage.admins, random).key, 'invalidate_cache', args);
    },
  ];
  return (random, connection) => {
    const sampleRead = read(random, connection);
    const sampleWrites = writes.map((create) => create(random, connection));
    return () => (random.below(1_000) < writeShare * 1_000 ? pickFrom(sampleWrites, random)() : sampleRead());
  };
}
