import { admin, cluster } from '../harness/shared-cluster.ts';

/** Returns the id of a repository's last changeset. */
export async function tipOf(name: string): Promise<string> {
  const { last_changeset: tip } = await admin.result<{ last_changeset: { raw_id: string } }>('get_repo', {
    repoid: name,
  });
  return tip.raw_id;
}

/** Reads a feed as a program does; returns its text. */
export async function feed(path: string): Promise<string> {
  const response = await fetch(`${cluster.baseUrl}/${path}/atom?api_key=${admin.apiKey}`);
  return (await response.text()).replaceAll(/<[^>]*>/g, ' ');
}
