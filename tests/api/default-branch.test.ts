import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { makeGitRemote, type Remote } from '../harness/remotes.ts';
import {
  admin,
  cluster,
  makeRepository,
  makeUser,
  sql,
  storagePathOf,
  uniqueName,
  type TestUser,
} from '../harness/shared-cluster.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { mainBranch, mainReference, someFile } from '../harness/unique-name.ts';

const refusal = (reason: string) => `Invalid value for \`default_branch\`: ${reason}`;

let remote: Remote;
let tip = '';
/** A copy whose default branch stays that of its remote, for calls that are refused. */
let kept = '';

beforeAll(async () => {
  const [file, ...prefix] = toolCommand('TRUNKLINE_GIT_COMMAND', 'git');
  remote = await makeGitRemote();
  tip = await remote.commit({ [someFile]: '1' });
  for (const name of ['other', 'feature/ü']) {
    await promisify(execFile)(file, [...prefix, '-C', remote.directory, 'branch', name]);
  }
  kept = await makeCopy();
});
afterAll(() => remote.close());

async function makeCopy(args: Record<string, unknown> = {}): Promise<string> {
  const name = uniqueName('copy');
  await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url, ...args });
  return name;
}

const branchOf = async (repoid: string) =>
  (await admin.result<{ default_branch?: string | null }>('get_repo', { repoid })).default_branch;
const headOf = async (name: string) => readFile(join(await storagePathOf(name), 'HEAD'), 'utf8');

async function writerOf(repoid: string, perm = 'repository.write'): Promise<TestUser> {
  const user = await makeUser();
  await admin.result('grant_user_permission', { repoid, userid: user.username, perm });
  return user;
}

const stateOf = async (name: string) =>
  (await sql`select generation::int, last_changeset, needs_recovery from repositories where name = ${name}`)[0];
const lastOperation = async (name: string) =>
  (await sql`select id from operations where request->>'name' = ${name} order by created_at desc limit 1`)[0]?.['id'];
const operationsOf = (name: string) => sql`
  select o.kind, o.state from operations o join repositories r on r.id = o.repository_id
    where r.name = ${name} order by o.created_at`;

describe('default_branch', () => {
  it('of a copy is that of its remote, of a new repository the one that git would make, of hg none', async () => {
    expect(await branchOf(kept)).toBe(mainBranch);
    expect(await branchOf(await makeRepository('git'))).toBe('master');
    expect(await admin.result('get_repo', { repoid: await makeRepository('hg') })).not.toHaveProperty('default_branch');
  });

  it.each(['other', 'feature/ü'])('is changed to `%s` by the level write, in an operation', async (branch) => {
    const name = await makeCopy({ private: true });
    const { client, id, username } = await writerOf(name);
    const before = await stateOf(name);
    expect(await client.result('update_repo', { repoid: name, default_branch: branch })).toMatchObject({
      msg: expect.stringContaining(` ${name}`),
      repository: { repo_name: name, last_changeset: { raw_id: tip }, locked_by: null },
    });
    expect(await branchOf(name)).toBe(branch);
    expect(await headOf(name)).toBe(`ref: refs/heads/${branch}\n`);
    expect(await stateOf(name)).toEqual({ ...before, generation: Number(before?.['generation']) + 1 });
    expect(await operationsOf(name)).toEqual([
      { kind: 'import', state: 'done' },
      { kind: 'default_branch', state: 'done' },
    ]);
    const authorization = `Basic ${Buffer.from(`${username}:${client.apiKey}`).toString('base64')}`;
    const refs = await fetch(`${cluster.baseUrl}/${name}/info/refs?service=git-upload-pack`, {
      headers: { authorization },
    });
    expect(await refs.text()).toContain(`symref=HEAD:refs/heads/${branch} `);
    const [row] = await sql`select outcome, args from audit_log where actor_id = ${id} and method = 'update_repo'`;
    expect(row).toEqual({ outcome: 'succeeded', args: { repoid: name, default_branch: branch } });
  });

  it('is that of the source in a fork, stays after a pull, and is read again when the cache is cleared', async () => {
    const name = await makeCopy();
    await admin.result('update_repo', { repoid: name, default_branch: 'other' });
    await admin.result('fork_repo', { repoid: name, fork_name: `${name}-fork` });
    expect(await branchOf(`${name}-fork`)).toBe('other');
    await admin.result('pull', { repoid: name });
    expect(await branchOf(name)).toBe('other');
    await writeFile(join(await storagePathOf(name), 'HEAD'), `ref: ${mainReference}\n`);
    await admin.result('invalidate_cache', { repoid: name });
    expect(await branchOf(name)).toBe(mainBranch);
  });

  it('is another one after maintenance, where HEAD leads to no branch; an existing one stays', async () => {
    const name = await makeCopy();
    for (const [head, mended] of [
      // The first of those whose commits are equally new.
      ['gone', 'feature/ü'],
      ['other', 'other'],
    ]) {
      await writeFile(join(await storagePathOf(name), 'HEAD'), `ref: refs/heads/${head}\n`);
      await admin.result('invalidate_cache', { repoid: name });
      const before = await stateOf(name);
      const { task } = await admin.result<{ task: string | null }>('maintain_repo', { repoid: name });
      await admin.result('wait_operation', { operation_id: task ?? (await lastOperation(name)) });
      expect([await headOf(name), await branchOf(name)]).toEqual([`ref: refs/heads/${mended}\n`, mended]);
      expect((await stateOf(name))?.['generation'] - before?.['generation']).toBe(head === mended ? 0 : 1);
    }
  });

  it('B10 for callers without the level write is the change of a repository that does not exist', async () => {
    const missing = uniqueName('missing');
    const { client } = await writerOf(kept, 'repository.read');
    const texts = await Promise.all(
      [kept, missing].map((repoid) => client.error('update_repo', { repoid, default_branch: 'other' })),
    );
    expect(texts).toEqual([kept, missing].map((repoid) => `repository \`${repoid}\` does not exist`));
    expect(await branchOf(kept)).toBe(mainBranch);
  });

  it('B7 is all that the level write changes', async () => {
    const { client } = await writerOf(kept);
    const text = `repository \`${kept}\` does not exist`;
    for (const args of [{ description: 'x' }, { description: 'x', default_branch: null }]) {
      expect(await client.error('update_repo', { repoid: kept, ...args })).toBe(text);
    }
    const both = { repoid: kept, default_branch: 'other', description: 'x' };
    const alone = refusal('can only be changed by a call that changes nothing else');
    for (const by of [client, admin]) expect(await by.error('update_repo', both)).toBe(alone);
    expect(await admin.result('get_repo', { repoid: kept })).toMatchObject({
      description: kept,
      default_branch: mainBranch,
    });
  });

  it('D5 that is no branch is an error that names the argument, and begins nothing', async () => {
    for (const branch of ['nope', 'main', 'refs/heads/other', 'HEAD', '-d', '../heads/other', 'other\nx', '']) {
      const error = await admin.error('update_repo', { repoid: kept, default_branch: branch });
      expect(error).toBe(refusal(`there is no branch \`${branch}\``));
    }
    expect(await headOf(kept)).toBe(`ref: ${mainReference}\n`);
    expect(await operationsOf(kept)).toEqual([{ kind: 'import', state: 'done' }]);
  });

  it('is refused for Mercurial, for an empty repository, and in another type', async () => {
    const [hg, empty] = [await makeRepository('hg'), await makeRepository('git')];
    const error = (repoid: string, default_branch: unknown) => admin.error('update_repo', { repoid, default_branch });
    expect(await error(hg, 'default')).toBe(refusal('a Mercurial repository has none'));
    expect(await error(empty, 'master')).toBe(refusal('there is no branch `master`'));
    expect(await error(empty, 5)).toBe(refusal('must be a string'));
  });

  it('C6 whose operation was interrupted for the last time is as HEAD says', async () => {
    const expected = {
      other: { state: 'done', error: null },
      [mainBranch]: { state: 'failed', error: 'failed to update repo `sent`' },
    };
    const interrupted = Object.entries(expected).map(async ([head, end]) => {
      const name = await makeCopy();
      await writeFile(join(await storagePathOf(name), 'HEAD'), `ref: refs/heads/${head}\n`);
      const request = JSON.stringify({ name, sent: 'sent', branch: 'other' });
      const [operation] = await sql`
        insert into operations (id, kind, repository_id, storage_id, epoch, request, state, worker, attempt, lease_until)
          select gen_random_uuid(), 'default_branch', id, storage_id, epoch, ${request}::text::jsonb,
            'running', 'gone', 3, now()
          from repositories where name = ${name} returning id`;
      const ended = await eventually(
        () => sql`select state, error from operations where id = ${String(operation?.['id'])}`,
        ([row]) => row?.['state'] !== 'running',
        60,
      );
      expect(ended).toEqual([end]);
      expect([await branchOf(name), await headOf(name)]).toEqual([head, `ref: refs/heads/${head}\n`]);
    });
    await Promise.all(interrupted);
  });

  it('C9 is changed in spite of a lock that a dead process has left on HEAD', async () => {
    const name = await makeCopy();
    await writeFile(join(await storagePathOf(name), 'HEAD.lock'), '');
    await admin.result('update_repo', { repoid: name, default_branch: 'other' });
    expect(await headOf(name)).toBe('ref: refs/heads/other\n');
  });
});
