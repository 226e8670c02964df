import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { startLdap, type TestLdap } from '../harness/ldap-server.ts';
import '../harness/provided.ts';
import { createWebClient } from '../harness/web-client.ts';

describe('signing in with LDAP', () => {
  let ldap: TestLdap;
  let cluster: Cluster;
  let admin: Client;

  beforeAll(async () => {
    ldap = await startLdap();
    const env = { TRUNKLINE_LDAP_URL: ldap.url };
    cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
    admin = createClient(cluster.baseUrl, cluster.adminKey);
    for (const person of ldap.people) {
      const { uid: username, mail: email } = person;
      const password = 'the local password';
      await admin.result('create_user', { username, email, ldap_dn: ldap.dnOf(person), password });
    }
    await admin.result('create_user', { username: 'carl', email: 'carl@example.com', password: 'secret of carl' });
  });

  afterAll(async () => {
    await cluster.stop();
    await ldap.close();
  });

  const signIn = (username: string, password: string) => createWebClient(cluster.baseUrl).signIn(username, password);

  it('the password in LDAP opens a session', async () => {
    for (const { uid, password } of ldap.people) expect((await signIn(uid, password)).status).toBe(302);
  });

  it.each([
    ['a wrong password', 'ann', 'bob-secret'],
    ['no password', 'ann', ''],
    ['the local password of a user who signs in with LDAP', 'ann', 'the local password'],
    ['an LDAP entry without a user here', 'reader', 'reader-secret'],
  ])('%s opens no session', async (_, username, password) => {
    expect((await signIn(username, password)).status).toBe(403);
  });

  it('a user who is not in LDAP signs in with the local password', async () => {
    expect((await signIn('carl', 'secret of carl')).status).toBe(302);
  });

  it('while the LDAP server is unreachable, its users see that the service is unavailable, and others can sign in', async () => {
    await ldap.close();
    const { status, text } = await signIn('ann', 'ann-secret');
    expect([status, text.includes('Service is temporarily unavailable')]).toEqual([503, true]);
    expect((await signIn('carl', 'secret of carl')).status).toBe(302);
  });
});
