import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, sql, uniqueName } from '../harness/shared-cluster.ts';

interface Operation {
  readonly operation_id: string;
  readonly kind: string;
  readonly repo_name: string | null;
}

const missing = '00000000-0000-4000-8000-000000000000';

/** Creates a user with three operations, which are returned the newest first. */
async function makeOperations() {
  const user = await makeUser();
  const names = [uniqueName('made'), uniqueName('made')];
  for (const name of names) await user.client.result('create_repo', { repo_name: name, repo_type: 'git' });
  await user.client.result('delete_repo', { repoid: names[0] });
  return { ...user, names, operations: await user.client.result<Operation[]>('list_operations') };
}

describe('list_operations', () => {
  it('returns the caller’s operations, the newest first', async () => {
    const { operations, names, username } = await makeOperations();
    expect(operations).toMatchObject([
      { kind: 'delete', repo_name: names[0], state: 'done', user: username, error: null, attempt: 1 },
      { kind: 'create', repo_name: names[1], state: 'done' },
      { kind: 'create', repo_name: names[0], state: 'done' },
    ]);
  });

  it('returns all operations, or those of one user, to an administrator', async () => {
    const { operations, id } = await makeOperations();
    expect(await admin.result('list_operations', { userid: id })).toEqual(operations);
    const all = await admin.result<Operation[]>('list_operations');
    expect(all).toEqual(expect.arrayContaining(operations));
    expect(all.length).toBeGreaterThan(operations.length);
  });

  it('names the user also when the user is gone', async () => {
    const { operations, names, id, username } = await makeOperations();
    await admin.result('delete_repo', { repoid: names[1] });
    await admin.result('delete_user', { userid: id });
    for (const { operation_id } of operations) {
      expect(await admin.result('get_operation', { operation_id })).toMatchObject({ user: username });
    }
    expect(await admin.result('get_deleted_repos')).toContainEqual(
      expect.objectContaining({ repo_name: names[0], deleted_by: username }),
    );
  });

  it('returns pages', async () => {
    const { client, operations } = await makeOperations();
    const [first] = await client.result<Operation[]>('list_operations', { limit: 1 });
    expect(first).toEqual(operations[0]);
    const rest = await client.result('list_operations', { limit: 5, cursor: first?.operation_id });
    expect(rest).toEqual(operations.slice(1));
  });

  it('returns 100 entries when no limit is named, and the others after the cursor', async () => {
    const { client, id } = await makeUser();
    await sql`insert into operations (id, kind, repository_id, actor_id, request, state, finished_at)
      select gen_random_uuid(), 'pull', 1000000 + n, ${id}, '{}', 'done', now() from generate_series(1, 150) n`;
    const all = await client.result<Operation[]>('list_operations', { limit: 10_000 });
    expect(all).toHaveLength(150);
    expect(await client.result('list_operations')).toEqual(all.slice(0, 100));
    expect(await client.result('list_operations', { cursor: all[99]?.operation_id })).toEqual(all.slice(100));
    expect(await client.error('list_operations', { limit: 10_001 })).toBe(
      'Invalid value for `limit`: must be a whole number from 1 to 10000',
    );
  });

  it('filters by state', async () => {
    const { client, operations } = await makeOperations();
    expect(await client.result('list_operations', { state: 'done' })).toEqual(operations);
    expect(await client.result('list_operations', { state: 'failed' })).toEqual([]);
    expect(await client.error('list_operations', { state: 'x' })).toBe(
      'Invalid value for `state`: must be `running`, `done` or `failed`',
    );
  });

  it('returns calls that failed before they began an operation, among the others and in pages', async () => {
    const { client, operations, names, username, id } = await makeOperations();
    const imported = uniqueName('imported');
    const clone_uri = 'http://127.0.0.1:1/x';
    const text = await client.error('create_repo', { repo_name: imported, repo_type: 'hg', clone_uri });
    expect(text).toBe(`failed to create repository \`${imported}\`: unreachable`);
    const forking = { repoid: names[1], fork_name: names[1] };
    const refusal = await client.error('fork_repo', forking);
    // A call of `lock` begins no operation, whether it succeeds or fails.
    await client.error('lock', { repoid: 'gone' });

    const own = { state: 'failed', repo_id: null, attempt: 1, progress: null, user: username };
    const all = await client.result<Operation[]>('list_operations');
    expect(all).toEqual([
      expect.objectContaining({ ...own, kind: 'fork_repo', repo_name: names[1], error: refusal }),
      expect.objectContaining({ ...own, kind: 'create_repo', repo_name: imported, error: text }),
      ...operations,
    ]);
    expect(await client.result('list_operations', { state: 'failed' })).toEqual(all.slice(0, 2));
    expect(await client.result('list_operations', { state: 'done' })).toEqual(operations);
    expect(await admin.result('list_operations', { userid: id })).toEqual(all);
    const pages: Operation[] = [];
    for (const _ of all) {
      const cursor = pages.at(-1)?.operation_id ?? null;
      pages.push(...(await client.result<Operation[]>('list_operations', { limit: 1, cursor })));
    }
    expect(pages).toEqual(all);
    for (const one of all) {
      expect(await client.result('get_operation', { operation_id: one.operation_id })).toEqual(one);
    }
  });

  it('B10 returns no operations of other users to a regular user', async () => {
    const { client } = await makeUser();
    expect(await client.error('list_operations', { userid: 'admin' })).toBe('userid is not the same as your user');
    const { operations, client: other } = await makeOperations();
    await other.error('create_repo', { repo_name: '-', repo_type: 'git' });
    const [failed] = await other.result<Operation[]>('list_operations', { limit: 1 });
    expect(failed).toMatchObject({ kind: 'create_repo' });
    for (const foreign of [operations[0]?.operation_id, failed?.operation_id]) {
      const text = `operation \`${foreign}\` does not exist`;
      expect(await client.error('list_operations', { cursor: foreign })).toBe(text);
    }
    expect(await client.result('list_operations')).toEqual([]);
  });
});

describe('get_operation and wait_operation', () => {
  it('return an operation of the caller, and any operation to an administrator', async () => {
    const { client, operations } = await makeOperations();
    const operation_id = operations[1]?.operation_id;
    expect(await client.result('get_operation', { operation_id })).toEqual(operations[1]);
    expect(await admin.result('get_operation', { operation_id })).toEqual(operations[1]);
    expect(await client.result('wait_operation', { operation_id })).toEqual(operations[1]);
  });

  it('return a failed operation', async () => {
    const { client, username } = await makeUser({ admin: true });
    const name = await makeRepository('git', { owner: username });
    const text = `Unable to pull changes from \`${name}\``;
    expect(await client.error('pull', { repoid: name })).toBe(text);
    const [method] = await client.result<Operation[]>('list_operations', { userid: username });
    expect(method).toMatchObject({ kind: 'pull', repo_name: name, state: 'failed', error: text });
  });

  it('B8 answer nothing to a key that is revoked while its call waits', async () => {
    const { client, id, username } = await makeUser();
    const operation_id = randomUUID();
    await sql`insert into operations (id, kind, repository_id, actor_id, request, state, worker, attempt, lease_until)
      values (${operation_id}, 'pull', 0, ${id}, '{}', 'running', 'elsewhere', 1, now() + interval '1 hour')`;
    expect(await client.result('get_operation', { operation_id })).toMatchObject({ state: 'running' });
    const waiting = client.error('wait_operation', { operation_id, timeout: 3 });
    await admin.result('reset_api_key', { userid: username });
    expect(await waiting).toBe('Invalid API key');
    await sql`update operations set state = 'failed', worker = null, lease_until = null where id = ${operation_id}`;
  });

  it('E4 find a call that changes no bytes by its request id', async () => {
    const repository = await makeRepository('git');
    const { id } = await makeUser();
    await admin.result('grant_user_permission', { repoid: repository, userid: id, perm: 'repository.read' });
    const [entry] = await sql`select request_id from audit_log where args->>'repoid' = ${repository}
      and method = 'grant_user_permission'`;
    expect(await admin.result('get_operation', { operation_id: entry?.['request_id'] })).toMatchObject({
      kind: 'grant_user_permission',
      state: 'done',
      repo_id: null,
    });
  });

  it('B10 answer another user’s operation as missing', async () => {
    const { operations } = await makeOperations();
    const { client } = await makeUser();
    for (const id of [operations[0]?.operation_id, missing, 'no-such', '']) {
      for (const method of ['get_operation', 'wait_operation', 'cancel_operation']) {
        expect(await client.error(method, { operation_id: id })).toBe(`operation \`${id}\` does not exist`);
      }
    }
  });
});

describe('cancel_operation', () => {
  it('does not change an operation that has ended', async () => {
    const { client, operations, names } = await makeOperations();
    const operation_id = operations[1]?.operation_id;
    expect(await client.result('cancel_operation', { operation_id })).toEqual({
      success: false,
      msg: `operation \`${operation_id}\` has already ended`,
    });
    expect(await client.result('get_repo', { repoid: names[1] })).not.toBeNull();
  });

  it('refuses to cancel a deletion', async () => {
    const { client, operations } = await makeOperations();
    const operation_id = operations[0]?.operation_id;
    expect(await client.error('cancel_operation', { operation_id })).toBe(
      `operation \`${operation_id}\` cannot be cancelled`,
    );
  });
});
