import { setTimeout as wait } from 'node:timers/promises';
import { seededRandom, type Random } from '../../harness/random.ts';
import { pickFrom } from '../load/pick.ts';
import { files, type OrdinaryUser } from './abused-stage.ts';
import { notice, type Noticed } from './noticed.ts';

export const ordinaryKinds = ['reads', 'writes', 'bytes', 'pages'] as const;
type Kind = (typeof ordinaryKinds)[number];

/** Parts of each kind in a hundred requests; each user has a mix of their own. */
const mixes: readonly Readonly<Record<Kind, number>>[] = [
  { reads: 70, writes: 10, bytes: 10, pages: 10 },
  { reads: 40, writes: 40, bytes: 10, pages: 10 },
  { reads: 30, writes: 10, bytes: 50, pages: 10 },
  { reads: 30, writes: 10, bytes: 10, pages: 50 },
];
/** Between two requests of one user. */
const pauseMs = 150;

type Sent = readonly [what: string, path: string, call?: readonly [method: string, args: object]];

const samples: Readonly<Record<Kind, (user: OrdinaryUser, random: Random) => Sent>> = {
  reads: ({ repository: repoid }, random) => {
    const calls: readonly (readonly [string, object])[] = [
      ['get_repo', { repoid }],
      ['get_repos', { limit: 50 }],
      ['get_user', {}],
      ['get_changeset', { repoid, revision: 'tip' }],
      ['get_changesets', { repoid, limit: 5 }],
    ];
    const call = pickFrom(calls, random);
    return [call[0], '/_admin/api', call];
  },
  writes: ({ repository: repoid }, random) => {
    const calls: readonly (readonly [string, object])[] = [
      ['lock', { repoid, locked: random.below(2) === 0 }],
      ['update_repo', { repoid, description: `description ${random.below(1_000)}` }],
    ];
    const call = pickFrom(calls, random);
    return [call[0], '/_admin/api', call];
  },
  bytes: ({ repository }, random) => {
    const part = random.pick([`raw/tip/${pickFrom(files, random)}`, 'changeset-diff/tip', 'archive/tip.tar']);
    return [part.split('/', 1)[0] ?? part, `/${repository}/${part}`];
  },
  pages: ({ repository }, random) => {
    const part = random.pick(['changelog', 'files/tip/dir-1', `files/tip/${files[0]}`]);
    return [`page ${part.split('/', 1)[0]}`, `/${repository}/${part}`];
  },
};

/** Sends a request; returns why it was not served, or null. */
async function send(baseUrl: string, { key, address }: OrdinaryUser, [, path, call]: Sent): Promise<string | null> {
  const headers = { 'X-Forwarded-For': address };
  if (!call) {
    const response = await fetch(`${baseUrl}${path}?api_key=${key}`, { headers, redirect: 'manual' });
    await response.arrayBuffer();
    return response.status === 200 ? null : String(response.status);
  }
  const [method, args] = call;
  const body = JSON.stringify({ id: 1, api_key: key, method, args });
  const response = await fetch(`${baseUrl}${path}`, { method: 'POST', body, headers });
  return ((await response.json()) as { error: string | null }).error;
}

/** Has all users send their requests until the signal fires; `noticed` gets the times. */
export async function runOrdinary(
  baseUrls: readonly string[],
  users: readonly OrdinaryUser[],
  seed: number,
  noticed: Noticed,
  signal: AbortSignal,
): Promise<void> {
  const act = async (user: OrdinaryUser, index: number) => {
    const random = seededRandom(seed, index);
    const mix = mixes[index % mixes.length] ?? mixes[0];
    const sampled = ordinaryKinds.flatMap((kind) => Array.from({ length: mix?.[kind] ?? 0 }, () => kind));
    while (!signal.aborted) {
      const kind = pickFrom(sampled, random);
      const sent = samples[kind](user, random);
      await notice(noticed, { kind, what: sent[0] }, () => send(pickFrom(baseUrls, random), user, sent));
      await wait(pauseMs);
    }
  };
  await Promise.all(users.map(act));
}
