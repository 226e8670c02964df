import { spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Sql } from 'postgres';
import { eventually } from '../harness/eventually.ts';
import { git } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

export interface HeldPush {
  /** Sends the rest, and returns what the service says: its status and its report. */
  finish(): Promise<{ readonly status: number; readonly report: string }>;
  /** Sends the rest without waiting. */
  send(): void;
  /** Closes the connection, as a client that is killed does. */
  hangUp(): void;
}

export interface PushedBranch {
  readonly url: string;
  /** Whose password the key is, unless it is an API key. */
  readonly username?: string;
  readonly key: string;
  /** Work tree whose HEAD is pushed, to this branch. */
  readonly path: string;
  readonly branch: string;
  readonly from?: string;
  readonly to: string;
  /** Commit that the pack does not have, nor what it reaches. */
  readonly without?: string;
  /** Root of the storage. */
  readonly root: string;
}

/** Bytes that are not sent at first: the end of a pack. */
const heldBytes = 10;

/** Returns what a commit of a work tree reaches, but for what another one does. */
export async function packOf(path: string, id: string, without?: string): Promise<Buffer> {
  const child = spawn('git', ['pack-objects', '--revs', '--stdout', '-q'], { cwd: path });
  child.stdin.end(without === undefined ? `${id}\n` : `${id}\n^${without}\n`);
  return buffer(child.stdout);
}

/** Commits a file with this text; returns the commit's id. */
export async function commitText(path: string, text: string): Promise<string> {
  await writeFile(join(path, someFile), text);
  await git(path, 'add', '-A');
  await git(path, 'commit', '-q', '-m', text.slice(0, 20));
  return (await git(path, 'rev-parse', 'HEAD')).trim();
}

/** Returns what is in the staging directory of a storage. */
export async function stagedIn(root: string): Promise<string[]> {
  const entries = await readdir(join(root, '@staging'));
  return entries.filter((entry) => entry !== '.probe');
}

/** Returns the directories in which pushes have arrived whose objects are being stored. */
export async function arriving(root: string): Promise<string[]> {
  const entries = await readdir(join(root, '@staging'), { recursive: true });
  return entries.filter((entry) => /\.push\/objects\/pack\/tmp_/.test(entry));
}

/** Sends a push but for its last bytes, and waits until a worker stores what has arrived. */
export async function holdPush(push: PushedBranch): Promise<HeldPush> {
  const { url, username = 'api-key', key, path, branch, from, to, without, root } = push;
  const command = `${from ?? '0'.repeat(40)} ${to} ${branch}\0 report-status`;
  const list = `${(Buffer.byteLength(command) + 4).toString(16).padStart(4, '0')}${command}0000`;
  const body = Buffer.concat([Buffer.from(list), await packOf(path, to, without)]);
  const headers = {
    Authorization: `Basic ${Buffer.from(`${username}:${key}`).toString('base64')}`,
    'Content-Type': 'application/x-git-receive-pack-request',
    'Transfer-Encoding': 'chunked',
  };
  const sent = request(`${url}/git-receive-pack`, { method: 'POST', headers });
  const answer = new Promise<{ status: number; report: string }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      buffer(response).then((text) => resolve({ status: response.statusCode ?? 0, report: text.toString() }), reject);
    });
  });
  // A test may end the service instead.
  answer.catch(() => {});
  const before = (await arriving(root)).length;
  sent.write(body.subarray(0, -heldBytes));
  await eventually(
    () => arriving(root),
    (found) => found.length > before,
    60,
  );
  const send = () => {
    if (!sent.writableEnded) sent.end(body.subarray(-heldBytes));
  };
  return {
    send,
    finish() {
      send();
      return answer;
    },
    hangUp: () => void sent.destroy(),
  };
}

/** Has another operation run on the repository; the returned function ends it. */
export async function occupy(sql: Sql, name: string): Promise<() => Promise<unknown>> {
  const [operation] = await sql<{ id: string }[]>`
    insert into operations (id, kind, repository_id, request, state, worker, attempt, lease_until, storage_id, epoch)
    select gen_random_uuid(), 'pull', id, '{}', 'running', 'test', 1, now() + interval '1 day', storage_id, epoch
      from repositories where name = ${name} returning id`;
  return () => sql`
    update operations set state = 'done', finished_at = now(), lease_until = null where id = ${operation?.id ?? ''}`;
}

/** Waits until a push has arrived whole in a storage. */
export async function untilArrived(root: string): Promise<void> {
  await eventually(
    () => readdir(join(root, '@staging'), { recursive: true }),
    (found) => found.some((entry) => entry.endsWith('.push/changes')),
    60,
  );
}
