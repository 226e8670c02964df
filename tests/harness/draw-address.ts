import { adminRoutes } from '../../apps/gateway/src/web/admin-routes.ts';
import { repositoryPages } from '../../apps/gateway/src/web/repository/repository-route.ts';
import type { Hostility } from './hostile-values.ts';
import type { Random } from './random.ts';

export interface AddressTools {
  readonly random: Random;
  readonly hostile: Hostility;
  /** What a user's, a group's or an operation's place in an address might be. */
  readonly ids: readonly [string, ...string[]];
  readonly kept: readonly [string, ...string[]];
  /** The repository that may be renamed and deleted. */
  readonly victim: string;
}

const queryNames = [
  'filter',
  'cursor',
  'q',
  'page',
  'refresh',
  'plain',
  'parent_group',
  'branch',
  'context',
  'ignorews',
  'subrepos',
  'at',
  'came_from',
  'api_key',
  '__proto__',
] as const;

/** Hostile text as a part of an address; of very long ones the beginning. */
export function escaped(text: string): string {
  return [...Buffer.from(text.slice(0, 1_500))].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Mostly right, sometimes hostile or broken. */
function drawSegment(right: string, { random, hostile }: AddressTools): string {
  const broken = ['%00', '%ff', '%', '..', '%2e%2e', '', 'a%2Fb'] as const;
  const kind = random.below(10);
  if (kind < 7) return right;
  return kind < 9 ? escaped(hostile.text()) : random.pick(broken);
}

type DrawPath = (tools: AddressTools) => string;

function administrationPath(path: string): DrawPath {
  return (tools) => `_admin/${path.replaceAll('*', () => drawSegment(tools.random.pick(tools.ids), tools))}`;
}

function repositoryPath(words: string): DrawPath {
  return (tools) => {
    const { random, kept, victim } = tools;
    const name = words.startsWith('settings') ? victim : random.pick(kept);
    const archive = `tip.${random.pick(['zip', 'tar', 'tar.gz', 'tar.bz2', 'rar'] as const)}`;
    const rest = words === 'archive' ? [archive] : ['tip', 'docs', 'read.me'].slice(0, random.below(4));
    return [drawSegment(name, tools), words, ...rest.map((one) => drawSegment(one, tools))].join('/');
  };
}

const anywhere: DrawPath = (tools) =>
  Array.from({ length: tools.random.below(5) }, () => drawSegment('g1', tools)).join('/');

const paths: readonly DrawPath[] = [
  ...[...Object.keys(adminRoutes), 'login', 'logout', 'assets/x'].map(administrationPath),
  ...Object.keys(repositoryPages).map(repositoryPath),
  ...Array.from({ length: 5 }, () => anywhere),
];

/** How many kinds of addresses there are: each page, and what is none. */
export const addressKinds = paths.length;

/** An address of this kind, with any query. */
export function drawAddress(kind: number, tools: AddressTools): string {
  const { random, hostile } = tools;
  const path = paths[kind % paths.length]?.(tools) ?? '';
  const query = Array.from(
    { length: random.pick([0, 0, 1, 2]) },
    () => `${random.pick(queryNames)}=${escaped(hostile.text())}`,
  );
  return `/${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}
