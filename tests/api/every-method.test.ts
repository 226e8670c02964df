import { methods, requiredMark, type Arg, type MethodName } from '@trunkline/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../harness/client.ts';
import { admin, makeUser, uniqueName } from '../harness/shared-cluster.ts';

const all = Object.values(methods);

/** A user without any rights of its own. */
let client: Client;
beforeAll(async () => {
  ({ client } = await makeUser());
});

/** Arguments with which each method fails for a reason of its own, and changes nothing. */
const harmless: Record<MethodName, Record<string, unknown>> = {
  add_user_email: { email: 'admin@localhost', userid: 'no-such' },
  add_user_ip: { userid: 'no-such', ip: '192.0.2.1' },
  add_user_to_user_group: { usersgroupid: 'no-such', userid: 'no-such' },
  cancel_operation: { operation_id: 'no-such' },
  annotate_file: { repoid: 'no/such', file_path: 'x' },
  create_api_key: { userid: 'no-such' },
  create_repo: { repo_name: '-refused-' },
  create_repo_group: { group_name: '-refused-' },
  create_user: { username: '-refused-', email: 'refused@example.com' },
  create_user_group: { group_name: '-refused-' },
  compare_revisions: { repoid: 'no/such', from: 'tip', to: 'tip' },
  delete_repo: { repoid: 'no/such' },
  delete_repo_group: { repogroupid: 'no/such' },
  delete_user: { userid: 'no-such' },
  delete_user_group: { usersgroupid: 'no-such' },
  follow_repo: { repoid: 'no/such' },
  fork_repo: { repoid: 'no/such', fork_name: '-refused-' },
  get_api_keys: { userid: 'no-such' },
  get_audit_log: { method: 'no-such' },
  get_changeset: { repoid: 'no/such', revision: 'tip' },
  get_changesets: { repoid: 'no/such' },
  get_consistency_report: {},
  get_default_permissions: {},
  get_deleted_repos: {},
  get_file_history: { repoid: 'no/such', file_path: 'x' },
  get_ip: { userid: 'no-such' },
  get_locks: {},
  get_operation: { operation_id: 'no-such' },
  get_repo: { repoid: 'no/such' },
  get_repo_diff: { repoid: 'no/such', from: 'tip', to: 'tip' },
  get_repo_group: { repogroupid: 'no/such' },
  get_repo_groups: {},
  get_repo_file: { repoid: 'no/such', commit_id: 'tip', file_path: 'x' },
  get_repo_nodes: { repoid: 'no/such', revision: 'tip', root_path: '/' },
  get_repo_refs: { repoid: 'no/such' },
  get_repos: {},
  get_server_info: {},
  get_storages: {},
  get_user: { userid: 'no-such' },
  get_user_group: { usergroupid: 'no-such' },
  get_user_groups: {},
  get_users: {},
  grant_global_permission: { perm: 'hg.create.repository', userid: 'no-such' },
  grant_user_group_permission: { repoid: 'no/such', usersgroupid: 'no-such', perm: 'repository.read' },
  grant_user_group_permission_to_repo_group: { repogroupid: 'no/such', usersgroupid: 'no-such', perm: 'group.read' },
  grant_user_permission: { repoid: 'no/such', userid: 'no-such', perm: 'repository.read' },
  grant_user_permission_to_repo_group: { repogroupid: 'no/such', userid: 'no-such', perm: 'group.read' },
  invalidate_cache: { repoid: 'no/such' },
  list_operations: { userid: 'no-such' },
  lock: { repoid: 'no/such' },
  maintain_repo: { repoid: 'no/such' },
  move_repo: { repoid: 'no/such', storage: 'no-such' },
  pull: { repoid: 'no/such' },
  remove_user_email: { email: 'admin@localhost', userid: 'no-such' },
  remove_user_from_user_group: { usersgroupid: 'no-such', userid: 'no-such' },
  remove_user_ip: { userid: 'no-such', ip: '192.0.2.1' },
  rescan_repos: { remove_obsolete: false },
  reset_api_key: { userid: 'no-such' },
  restore_repo: { id: 2 ** 31 - 1 },
  revoke_api_key: { api_key_id: 0, userid: 'no-such' },
  revoke_global_permission: { perm: 'hg.create.repository', userid: 'no-such' },
  revoke_user_group_permission: { repoid: 'no/such', usersgroupid: 'no-such' },
  revoke_user_group_permission_from_repo_group: { repogroupid: 'no/such', usersgroupid: 'no-such' },
  revoke_user_permission: { repoid: 'no/such', userid: 'no-such' },
  revoke_user_permission_from_repo_group: { repogroupid: 'no/such', userid: 'no-such' },
  test: { args: null },
  unfollow_repo: { repoid: 'no/such' },
  update_default_permissions: { repository: 'repository.no-such' },
  update_repo: { repoid: 'no/such' },
  update_repo_group: { repogroupid: 'no/such' },
  update_storage: { storage: 'no-such' },
  update_user: { userid: 'no-such' },
  update_user_group: { usersgroupid: 'no-such' },
  verify_repo: { repoid: 'no/such' },
  wait_operation: { operation_id: 'no-such' },
};

const wrong: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e20,
  2 ** 31,
  '',
  'a\0b',
  '\ud800',
  '\u202e',
  'x'.repeat(1_000_000),
  '-1',
  '9'.repeat(30),
  '../../etc/passwd',
  "'; drop table users; --",
  '%s%n',
  '--config=x.y=z',
  [],
  [[]],
  {},
  { id: 1 },
];

/**
 * Returns whether the value is valid for this argument and the call would disturb the tests: it would replace the
 * caller's own key, which the next call needs, or remove repositories whose bytes other tests have deleted.
 */
function disturbsTests(method: MethodName, argument: string, value: unknown): boolean {
  // A repair would disturb the running operations of other tests.
  if (method === 'get_consistency_report') return value === true;
  if (method === 'rescan_repos') return argument === 'remove_obsolete' && value === true;
  return method === 'reset_api_key' && argument === 'userid' && value === null;
}

const cases = all.flatMap((method) =>
  Object.entries<Arg<unknown>>(method.args).map(([name, { fallback }]) => ({
    method,
    name,
    needed: fallback === requiredMark,
  })),
);

describe('every argument of every method', () => {
  it.each(cases)('A7 E11 $method.name refuses wrong values of $name with a clear error', async (one) => {
    const { method, name } = one;
    for (const value of wrong.filter((value) => !disturbsTests(method.name, name, value))) {
      const { error } = await admin.call(method.name, { ...harmless[method.name], [name]: value });
      const sent = JSON.stringify(value).slice(0, 60);
      expect(error, sent).not.toBe('Internal server error');
      expect(String(error), sent).not.toMatch(/is busy|unavailable|outcome of operation/);
    }
  });

  it.each(cases.filter(({ needed }) => needed))('$method.name reports a missing $name', async ({ method, name }) => {
    const names = Object.keys(method.args);
    const before = names.slice(0, names.indexOf(name));
    const args = Object.fromEntries(before.map((one) => [one, 'x']));
    const text = `Missing non optional \`${name}\` arg in JSON DATA`;
    expect(await admin.error(method.name, args)).toBe(text);
    // A caller without the right receives the same error: arguments are checked first.
    expect(await client.error(method.name, args)).toBe(text);
  });
});

describe('every method', () => {
  it.each(all.filter(({ permission }) => permission.caller === 'admin'))(
    '$name is refused to others',
    async ({ name }) => {
      expect(await client.error(name, { ...harmless[name], userid: 1 })).toBe('Access was denied to this resource.');
    },
  );

  it.each(all)('B10 $name answers the same for a missing and a forbidden repository', async ({ name, permission }) => {
    const hidden = uniqueName('hidden');
    const args = (repoid: string) => ({ ...harmless[name], repoid });
    const missing = await client.call(name, args(hidden));
    await admin.result('create_repo', { repo_name: hidden, private: true });
    const forbidden = await client.call(name, args(hidden));
    expect(forbidden).toEqual(permission.repository ? { ...missing, id: forbidden.id } : forbidden);
    expect(forbidden.error).not.toBe('Internal server error');
  });

  it.each(all.filter(({ permission }) => permission.repoGroup !== undefined))(
    'B10 $name reads the same for a missing and a forbidden repository group',
    async ({ name }) => {
      const hidden = uniqueName('hidden');
      const text = `repository group \`${hidden}\` does not exist`;
      const args = { ...harmless[name], repogroupid: hidden };
      expect(await client.error(name, args)).toBe(text);
      await admin.result('create_repo_group', { group_name: hidden });
      const hidingGrant = { repogroupid: hidden, userid: 'default', perm: 'group.none' };
      await admin.result('grant_user_permission_to_repo_group', hidingGrant);
      expect(await client.error(name, args)).toBe(text);
    },
  );
});
