import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { startDirectory, type TestDirectory } from '../harness/ldap-server.ts';
import '../harness/provided.ts';
import { createWebClient } from '../harness/web-client.ts';

describe('signing in with a directory', () => {
  let directory: TestDirectory;
  let cluster: Cluster;
  let admin: Client;

  beforeAll(async () => {
    directory = await startDirectory();
    const env = { TRUNKLINE_LDAP_URL: directory.url };
    cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
    admin = createClient(cluster.baseUrl, cluster.adminKey);
    for (const person of directory.people) {
      const { uid: username, mail: email } = person;
      const local = { password: 'a password of our own' };
      await admin.result('create_user', { username, email, ldap_dn: directory.dnOf(person), ...local });
    }
    await admin.result('create_user', { username: 'carl', email: 'carl@example.com', password: 'secret of carl' });
  });

  afterAll(async () => {
    await cluster.stop();
    await directory.close();
  });

  const signIn = (username: string, password: string) => createWebClient(cluster.baseUrl).signIn(username, password);

  it('the password of the directory opens pages', async () => {
    for (const { uid, password } of directory.people) expect((await signIn(uid, password)).status).toBe(302);
  });

  it.each([
    ['a wrong password', 'ann', 'bob-secret'],
    ['no password', 'ann', ''],
    ['a password that is only ours', 'ann', 'a password of our own'],
    ['somebody who is in the directory alone', 'reader', 'reader-secret'],
  ])('%s does not', async (_, username, password) => {
    expect((await signIn(username, password)).status).toBe(403);
  });

  it('who is not in the directory has a password here', async () => {
    expect((await signIn('carl', 'secret of carl')).status).toBe(302);
  });

  it('while the LDAP server is unreachable its users cannot sign in, and are told so', async () => {
    await directory.close();
    const { status, text } = await signIn('ann', 'ann-secret');
    expect([status, text.includes('Service is temporarily unavailable')]).toEqual([503, true]);
    expect((await signIn('carl', 'secret of carl')).status).toBe(302);
  });
});
