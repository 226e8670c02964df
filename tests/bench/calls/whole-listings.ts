import { createClient } from '../../harness/client.ts';
import { makeRemote } from '../../harness/remotes.ts';
import { apiRequest, type SampleFactory } from '../load/bench-request.ts';
import { pickFrom } from '../load/pick.ts';
import type { Stage } from '../stage.ts';

/** Imports `large-git` and `large-hg`, whose listings have 5,050 nodes. */
export async function addLarge({ service, admins }: Stage): Promise<void> {
  const files = Array.from({ length: 5_000 }, (_, index) => [`dir${index % 50}/file-${index}.txt`, `${index}`]);
  const admin = createClient(service.baseUrl, admins[0]?.key ?? '');
  for (const type of ['git', 'hg'] as const) {
    const remote = await makeRemote[type]();
    await remote.commit(Object.fromEntries(files));
    await admin.result('create_repo', { repo_name: `large-${type}`, repo_type: type, clone_uri: remote.url });
    await remote.close();
  }
}

/** Samples listings of all nodes of one of them. */
export function createWholeListings({ admins }: Stage, type: 'hg' | 'git', revision: string): SampleFactory {
  return (random) => () => {
    const args = { repoid: `large-${type}`, revision, root_path: '/' };
    return apiRequest('get_repo_nodes', pickFrom(admins, random).key, 'get_repo_nodes', args);
  };
}
