import { readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { eventually } from '../harness/eventually.ts';
import { hg } from '../harness/remotes.ts';

export interface SentHgPush {
  readonly baseUrl: string;
  readonly name: string;
  /** Whose password the key is, unless it is an API key. */
  readonly username?: string;
  readonly key: string;
  readonly command?: string;
  readonly args?: string;
}

export interface HgAnswer {
  readonly status: number;
  readonly text: string;
}

const forced = 'heads=666f726365';
/** Bytes that are not sent at first: the end of a bundle. */
const heldBytes = 3;

/** Begins to send a command that pushes, as a client does. */
export function beginHgPush(push: SentHgPush) {
  const { baseUrl, name, username = 'api-key', key, command = 'unbundle', args = forced } = push;
  const headers = {
    Authorization: `Basic ${Buffer.from(`${username}:${key}`).toString('base64')}`,
    'Content-Type': 'application/mercurial-0.1',
    'Transfer-Encoding': 'chunked',
    'X-HgArg-1': args,
    'X-HgProto-1': '0.1 0.2 comp=none',
  };
  const sent = request(`${baseUrl}/${name}?cmd=${command}`, { method: 'POST', headers });
  const answer = new Promise<HgAnswer>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      buffer(response).then((text) => resolve({ status: response.statusCode ?? 0, text: text.toString() }), reject);
    });
  });
  // A test may hang up instead.
  answer.catch(() => {});
  return { sent, answer };
}

/** Returns all changesets of a repository as a client sends them. */
export async function bundleOfAll(path: string): Promise<Buffer> {
  const file = `${path}.bundle`;
  await hg(path, 'bundle', '-q', '--all', '--type', 'none-v2', file);
  const bundle = await readFile(file);
  await rm(file);
  return bundle;
}

/** Returns the directory in which these bytes of a bundle have arrived; others may arrive beside them. */
async function findArrived(root: string, bytes: Buffer): Promise<string | null> {
  const staging = join(root, '@staging');
  for (const name of await readdir(staging)) {
    const arrived = name.endsWith('.push') && (await readFile(join(staging, name, 'bundle')).catch(() => null));
    if (arrived && arrived.equals(bytes)) return join(staging, name);
  }
  return null;
}

export interface HeldBundle {
  /** Directory in which the bundle arrives. */
  readonly directory: string;
  /** Sends the rest, and returns what the service says. */
  finish(): Promise<HgAnswer>;
  /** Closes the connection, as a client that is killed does. */
  hangUp(): void;
}

/** Sends a bundle but for its last bytes, and waits until a worker has stored what was sent; `root` is its storage's. */
export async function holdBundle(push: SentHgPush, bundle: Buffer, root: string): Promise<HeldBundle> {
  const { sent, answer } = beginHgPush(push);
  const beginning = bundle.subarray(0, -heldBytes);
  sent.write(beginning);
  const directory = await eventually(
    () => findArrived(root, beginning),
    (found) => found !== null,
    60,
  );
  return {
    directory: directory ?? '',
    finish() {
      sent.end(bundle.subarray(-heldBytes));
      return answer;
    },
    hangUp: () => void sent.destroy(),
  };
}
