import { cluster, makeUser, type TestUser } from './shared-cluster.ts';
import { createWebClient, type WebClient } from './web-client.ts';

export const password = 'correct horse battery';

/** Creates a user, and a web client that has signed in as this user. */
export async function makeVisitor(args: Record<string, unknown> = {}): Promise<TestUser & { readonly web: WebClient }> {
  const user = await makeUser({ password, ...args });
  const web = createWebClient(cluster.baseUrl);
  await web.signIn(user.username, password);
  return { ...user, web };
}
