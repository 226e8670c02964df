import { connections } from '../load/open-load.ts';
import { apiRequest, type SampleFactory } from '../load/bench-request.ts';
import { pickFrom } from '../load/pick.ts';
import type { Stage } from '../stage.ts';

const levels = ['none', 'read', 'write', 'admin'] as const;
const levelAtFirst = 1;

export interface Grants {
  readonly createSample: SampleFactory;
  /** Returns how many of the levels that were sampled last the database does not have. */
  differences(): Promise<number>;
}

/**
 * Grants by administrators: each changes the level of a user. Every connection has repositories of its own,
 * so that no two wait for the lock on one row, and the level that a grant changes is known when it is sampled.
 */
export function createGrants({ sql, people, admins, repositoryIds }: Stage): Grants {
  const granted = new Map<string, { repositoryId: number; userId: number; level: number }>();
  return {
    createSample(random, connection) {
      const own = repositoryIds.filter((_, index) => index % connections === connection);
      return () => {
        const repositoryId = pickFrom(own, random);
        const user = pickFrom(people, random);
        const key = `${repositoryId} ${user.id}`;
        const before = granted.get(key)?.level ?? levelAtFirst;
        const level = (before + 1 + random.below(levels.length - 1)) % levels.length;
        granted.set(key, { repositoryId, userId: user.id, level });
        const args = { repoid: repositoryId, userid: user.name, perm: `repository.${levels[level]}` };
        return apiRequest('grant', pickFrom(admins, random).key, 'grant_user_permission', args);
      };
    },
    async differences() {
      const rows = await sql<{ user_id: number; repository_id: number; level: number }[]>`
        select user_id, repository_id, level from user_repository_permissions`;
      const stored = new Map(rows.map((row) => [`${row.repository_id} ${row.user_id}`, row.level]));
      return [...granted].filter(([key, { level }]) => stored.get(key) !== databaseLevels[level]).length;
    },
  };
}

/** The levels as the database has them: 2 is not used. */
const databaseLevels = [0, 1, 3, 4];
