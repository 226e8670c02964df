import { symlink, writeFile, access } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostileGit } from '../../apps/vcs-worker/src/vcs/testing/hostile-git.ts';
import { hostileHg } from '../../apps/vcs-worker/src/vcs/testing/hostile-hg.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, repositoryTypes, sql, storagePathOf, uniqueName } from '../harness/shared-cluster.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';

let answer: RequestListener = (_request, response) => response.end();
const odd = createServer((request, response) => answer(request, response));
let oddUrl = '';
let closedUrl = '';

async function listen(server: typeof odd): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/x`;
}

beforeAll(async () => {
  oddUrl = await listen(odd);
  const closed = createServer();
  closedUrl = await listen(closed);
  closed.close();
});
afterAll(() => {
  odd.closeAllConnections();
  odd.close();
});

interface State {
  readonly generation: number;
  readonly needsRecovery: boolean;
  readonly tip: string;
}

async function stateOf(name: string): Promise<State> {
  const [row] = await sql<State[]>`
    select generation::int, needs_recovery as "needsRecovery", last_changeset->>'rawId' as tip
      from repositories where name = ${name}`;
  if (!row) throw new Error(`${name} is not there`);
  return row;
}

interface Operation {
  readonly operation_id: string;
  readonly error: string | null;
}

/** Makes a pull that fails; returns its error, which get_operation and the audit log must have, too. */
async function failedPull(repoid: string): Promise<string> {
  const replyError = await admin.error('pull', { repoid });
  const [row] = await sql<{ id: string }[]>`
    select id from operations where kind = 'pull' and request->>'name' = ${repoid} order by created_at desc limit 1`;
  const { error } = await admin.result<Operation>('get_operation', { operation_id: row?.id });
  const [entry] = await sql`select outcome, error from audit_log where request_id = ${row?.id ?? null}`;
  expect([error, entry?.['outcome'], entry?.['error']]).toEqual([replyError, 'failed', replyError]);
  return replyError;
}

const status =
  (code: number): RequestListener =>
  (_request, response) =>
    response.writeHead(code).end('secret of the remote');

const page: RequestListener = (_request, response) =>
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>files</title>');

describe.each(repositoryTypes)('pull %s', (type) => {
  let remote: Remote;
  let name: string;
  beforeAll(async () => {
    remote = await makeRemote[type]();
    await remote.commit({ [someFile]: '1' });
  });
  afterAll(() => remote.close());
  beforeEach(async () => {
    name = uniqueName(type);
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  });

  const text = (failure: string) => `Unable to pull changes from \`${name}\`: ${failure}`;
  const pointTo = (clone_uri: string) => admin.result('update_repo', { repoid: name, clone_uri });

  const junk = (): RequestListener => {
    const send = (response: { end: (bytes: string) => unknown }) => void response.end('junk');
    return type === 'git' ? hostileGit(['HEAD', mainReference], send) : hostileHg(send);
  };

  /** Marks the repository as needing recovery, as a cut-off write does, and puts a lock into it. */
  async function leaveInterrupted(): Promise<{ lock: string; before: State }> {
    const lock = join(await storagePathOf(name), type === 'git' ? 'packed-refs.lock' : '.hg/store/lock');
    await (type === 'git' ? writeFile(lock, '') : symlink('gone:1', lock));
    await sql`update repositories set needs_recovery = true where name = ${name}`;
    return { lock, before: await stateOf(name) };
  }

  it.each<readonly [failure: string, what: string, listener: RequestListener]>([
    ['not found', 'status 404', status(404)],
    ['needs login', 'status 401', status(401)],
    ['needs login', 'status 403', status(403)],
    ['not a repository', 'a page', page],
    ['broken remote', 'status 500', status(500)],
    ['broken remote', 'a connection that ends', (request) => request.socket.destroy()],
  ])('%s: %s; the repository is as it was', async (failure, _what, listener) => {
    await pointTo(oddUrl);
    const before = await stateOf(name);
    answer = listener;
    expect(await failedPull(name)).toBe(text(failure));
    expect(await stateOf(name)).toEqual(before);
  });

  it('an unreachable or refused address leaves the repository unchanged', async () => {
    const before = await stateOf(name);
    await pointTo(closedUrl);
    expect(await failedPull(name)).toBe(text('unreachable'));
    await pointTo('http://10.0.0.1/x');
    expect(await failedPull(name)).toBe(text('address refused'));
    expect(await stateOf(name)).toEqual(before);
  });

  it('without a remote location: the error has no reason, and the repository is unchanged', async () => {
    const empty = await makeRepository(type);
    const before = await stateOf(empty);
    expect(await failedPull(empty)).toBe(`Unable to pull changes from \`${empty}\``);
    expect(await stateOf(empty)).toEqual(before);
  });

  it('C9 a remote that breaks off midway: the repository is marked for recovery, and the next pull repairs it', async () => {
    await pointTo(oddUrl);
    const before = await stateOf(name);
    answer = junk();
    expect(await failedPull(name)).toBe(text('broken remote'));
    expect(await stateOf(name)).toEqual({ ...before, needsRecovery: true, generation: before.generation + 1 });
    await pointTo(remote.url);
    await admin.result('pull', { repoid: name });
    expect(await stateOf(name)).toMatchObject({ needsRecovery: false, tip: before.tip });
  });

  it('C9 repairs the state after a cut-off write, also when there is nothing new', async () => {
    const { lock, before } = await leaveInterrupted();
    expect(await admin.result('pull', { repoid: name })).toBe(`Pulled from \`${name}\``);
    expect(await stateOf(name)).toMatchObject({ needsRecovery: false, tip: before.tip });
    await expect(access(lock)).rejects.toThrow('ENOENT');
  });

  it('C9 repairs the state after a cut-off write, also when the remote is unreachable or missing', async () => {
    for (const cloneUri of [closedUrl, '']) {
      await pointTo(cloneUri);
      const { lock, before } = await leaveInterrupted();
      expect(await failedPull(name)).toBe(cloneUri ? text('unreachable') : `Unable to pull changes from \`${name}\``);
      expect(await stateOf(name)).toEqual({ ...before, needsRecovery: false, generation: before.generation + 1 });
      await expect(access(lock)).rejects.toThrow('ENOENT');
    }
  });

  it('D10 the error has neither the login nor texts of the remote', async () => {
    answer = status(401);
    await pointTo(oddUrl.replace('://', '://ann:s3cret-w0rd@'));
    expect(await failedPull(name)).toBe(text('needs login'));
    const rows = await sql`select o::text from operations o where request->>'name' = ${name}
      union all select a::text from audit_log a where args->>'repoid' = ${name}`;
    expect(rows.map((row) => JSON.stringify(row)).join('\n')).not.toMatch(/s3cret-w0rd|secret of the remote/);
  });
});
