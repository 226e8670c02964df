import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { feedGit } from '../../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { git } from '../../harness/remotes.ts';

const special = ['flush', 'delimiter', 'end'];

/** Splits an answer of git into its packets; what follows the last one is a packet, too. */
function packetsOf(bytes: Buffer): (string | Buffer)[] {
  const packets: (string | Buffer)[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const length = Number.parseInt(rest.subarray(0, 4).toString('latin1'), 16);
    if (Number.isNaN(length) || (length > 2 && length < 4)) return [...packets, rest];
    packets.push(length < 4 ? (special[length] ?? '') : rest.subarray(4, length));
    rest = rest.subarray(Math.max(length, 4));
  }
  return packets;
}

/** Returns the words of a line about capabilities, without what differs between two processes. */
function lineOf(packet: Buffer): string {
  const [name = '', words] = packet.toString('utf8').trimEnd().split('\0');
  const plain = (text: string) => text.replaceAll(/\b(agent|session-id)=\S*/g, '$1');
  if (words === undefined) return plain(name);
  return `${name} [${words.split(' ').filter(Boolean).map(plain).toSorted().join(' ')}]`;
}

/** Returns the ids of the objects in a pack. */
async function idsOf(pack: Buffer, directory: string): Promise<string[]> {
  const path = join(directory, randomUUID());
  await git('/', 'init', '-q', '--bare', path);
  await feedGit(path, ['index-pack', '--stdin', '--fix-thin'], pack);
  const packs = join(path, 'objects/pack');
  const index = (await readdir(packs)).find((name) => name.endsWith('.idx')) ?? '';
  const listed = await git(packs, 'verify-pack', '-v', index);
  return [...listed.matchAll(/^[0-9a-f]{40}/gm)].map(([id]) => id).toSorted();
}

export interface GitAnswer {
  readonly lines: readonly string[];
  /** Ids of the objects in the pack, if the answer has one. */
  readonly objects: readonly string[] | null;
}

/** Reads an answer of git in a form that two servers have in common: not its progress, and a pack by its objects. */
export async function readGitAnswer(bytes: Buffer, directory: string): Promise<GitAnswer> {
  const lines: string[] = [];
  const pack: Buffer[] = [];
  for (const packet of packetsOf(bytes)) {
    if (typeof packet === 'string') lines.push(packet);
    else if (packet[0] === 1) pack.push(packet.subarray(1));
    else if (packet.subarray(0, 4).toString('latin1') === 'PACK') pack.push(packet);
    else if (packet[0] !== 2) lines.push(lineOf(packet));
  }
  const whole = Buffer.concat(pack);
  if (whole.subarray(0, 4).toString('latin1') === 'PACK') return { lines, objects: await idsOf(whole, directory) };
  if (pack.length > 0) return { lines: [...lines, ...(await readGitAnswer(whole, directory)).lines], objects: null };
  return { lines, objects: null };
}
