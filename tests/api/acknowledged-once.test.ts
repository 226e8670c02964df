import { describe, expect, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { admin, cluster, makeRepository, makeUser, uniqueName } from '../harness/shared-cluster.ts';

const callsAtOnce = 40;

interface Removal {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The text of the reply to every call except the one that removed the object. */
  readonly others: string;
  /** The client that calls; the administrator when absent. */
  readonly client?: Client;
}

/**
 * Calls until the call is run. A busy machine does not run so many changes of one object within half the time of a call,
 * which is how long a gateway has calls wait; what it refuses then was not run.
 */
async function callUntilRun(client: Client, method: string, args: Removal['args']) {
  for (;;) {
    const reply = await client.call(method, args);
    if (reply.error !== 'Service is busy, try again later') return reply;
  }
}

/** Makes equal calls concurrently; returns for each whether it removed the object, and its message or error. */
async function hammer({ method, args, client = admin }: Omit<Removal, 'others'>) {
  const replies = await Promise.all(Array.from({ length: callsAtOnce }, () => callUntilRun(client, method, args)));
  return replies.map(({ result, error }) => {
    const { success = true, msg = '' } = Object(result) as { success?: boolean; msg?: string };
    return { removed: error === null && success, text: error ?? msg };
  });
}

async function makeUserGroup(): Promise<string> {
  const name = uniqueName('team');
  await admin.result('create_user_group', { group_name: name });
  return name;
}

/** Functions that create an object to remove, by the method that removes it. */
const removals: Readonly<Record<string, () => Promise<Omit<Removal, 'method'>>>> = {
  async delete_user() {
    const { username } = await makeUser();
    return { args: { userid: username }, others: `user \`${username}\` does not exist` };
  },
  async delete_repo() {
    const name = await makeRepository('git');
    return { args: { repoid: name }, others: `repository \`${name}\` does not exist` };
  },
  async delete_repo_group() {
    const name = uniqueName('group');
    await admin.result('create_repo_group', { group_name: name });
    return { args: { repogroupid: name }, others: `repository group \`${name}\` does not exist` };
  },
  async delete_user_group() {
    const name = await makeUserGroup();
    return { args: { usersgroupid: name }, others: `user group \`${name}\` does not exist` };
  },
  async remove_user_from_user_group() {
    const args = { usersgroupid: await makeUserGroup(), userid: (await makeUser()).username };
    await admin.result('add_user_to_user_group', args);
    return { args, others: "User wasn't in group" };
  },
  async remove_user_email() {
    const { username } = await makeUser();
    const args = { userid: username, email: `2-${username}@example.com` };
    await admin.result('add_user_email', args);
    return { args, others: `user \`${username}\` has no email \`${args.email}\`` };
  },
  async remove_user_ip() {
    const { username } = await makeUser();
    const args = { userid: username, ip: '192.0.2.0/24' };
    await admin.result('add_user_ip', args);
    return { args, others: `user \`${username}\` has no ip \`192.0.2.0/24\`` };
  },
  async revoke_api_key() {
    const { username } = await makeUser();
    const made = await admin.result<{ api_key: { api_key_id: number } }>('create_api_key', { userid: username });
    const { api_key_id } = made.api_key;
    return { args: { userid: username, api_key_id }, others: `user \`${username}\` has no api key \`${api_key_id}\`` };
  },
  async unfollow_repo() {
    const { username, client } = await makeUser();
    const args = { repoid: await makeRepository('git') };
    await client.result('follow_repo', args);
    return { args, client, others: `user \`${username}\` does not follow repo \`${args.repoid}\`` };
  },
};

describe(`${callsAtOnce} equal calls at once`, () => {
  it.each(Object.entries(removals))('%s is acknowledged once', async (method, prepare) => {
    const { others, ...removal } = await prepare();
    const replies = await hammer({ method, ...removal });
    expect(replies.filter(({ removed }) => removed)).toHaveLength(1);
    // unfollow_repo returns one text to all calls; only `success` shows which call removed the follower.
    const texts = replies.filter(({ removed }) => !removed).map(({ text }) => text);
    expect([...new Set(texts)]).toEqual([others]);
  });

  it('reset_api_key with the key that it replaces is acknowledged once, with the key that is valid afterwards', async () => {
    const { client } = await makeUser();
    const calls = Array.from({ length: callsAtOnce }, () => client.call('reset_api_key'));
    const replies = await Promise.all(calls);
    const made = replies.filter(({ error }) => error === null);
    expect(made).toHaveLength(1);
    expect(new Set(replies.map(({ error }) => error))).toEqual(new Set([null, 'Invalid API key']));
    const { api_key } = Object(made[0]?.result) as { api_key: { api_key: string } };
    await createClient(cluster.baseUrl, api_key.api_key).result('get_user');
  });

  it('the revocation of a permission succeeds also when the permission was not granted', async () => {
    const { username } = await makeUser();
    const [repoid, team] = [await makeRepository('git'), await makeUserGroup()];
    const group = uniqueName('group');
    await admin.result('create_repo_group', { group_name: group });
    const revocations = [
      { method: 'revoke_user_permission', args: { repoid, userid: username } },
      { method: 'revoke_user_group_permission', args: { repoid, usersgroupid: team } },
      { method: 'revoke_user_permission_from_repo_group', args: { repogroupid: group, userid: username } },
      { method: 'revoke_user_group_permission_from_repo_group', args: { repogroupid: group, usersgroupid: team } },
      { method: 'revoke_global_permission', args: { userid: username, perm: 'hg.create.repository' } },
    ];
    for (const revocation of revocations) {
      const replies = await hammer(revocation);
      expect(replies.filter(({ removed }) => !removed)).toEqual([]);
    }
  });
});
