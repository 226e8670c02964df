import { apiRequest, type SampleFactory } from '../load/bench-request.ts';
import { connections } from '../load/open-load.ts';
import { pickFrom } from '../load/pick.ts';
import type { Stage } from '../stage.ts';

/** Creates repositories, each under a name that was never used; private ones, which do not lengthen others' lists. */
export function createCreations({ people }: Stage, type: 'hg' | 'git', prefix: string): SampleFactory {
  return (random, connection) => {
    let made = 0;
    return () => {
      made += 1;
      const args = { repo_name: `${prefix}-${type}-${connection}-${made}`, repo_type: type, private: true };
      return apiRequest('create', pickFrom(people, random).key, 'create_repo', args);
    };
  };
}

/** Changes descriptions, each connection those of repositories of its own. */
export function createUpdates({ people, repositoryIds }: Stage): SampleFactory {
  return (random, connection) => {
    const own = repositoryIds.filter((_, index) => index % connections === connection);
    return () => {
      const repoid = pickFrom(own, random);
      const owner = people[repositoryIds.indexOf(repoid) % people.length];
      const description = `The repository of team ${random.below(2 ** 31)}`;
      return apiRequest('update', owner?.key ?? '', 'update_repo', { repoid, description });
    };
  };
}
