import fc from 'fast-check';
import { adminRoutes } from '../../apps/gateway/src/web/admin-routes.ts';
import { repositoryPages } from '../../apps/gateway/src/web/repository/repository-route.ts';
import type { Hostility } from './hostile-values.ts';

export interface AddressTools {
  readonly hostile: Hostility;
  /** Path segments that may be the id of a user, a group or an operation. */
  readonly ids: readonly [string, ...string[]];
  readonly kept: readonly [string, ...string[]];
  /** Name of the repository that calls may rename and delete. */
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

/** Percent-encodes every byte of a text for an address; cuts it after 1,500 characters. */
export function escaped(text: string): string {
  return [...Buffer.from(text.slice(0, 1_500))].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Samples a path segment that is mostly right, sometimes hostile or broken. */
function segment(right: fc.Arbitrary<string>, { hostile }: AddressTools): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 7, arbitrary: right },
    { weight: 2, arbitrary: hostile.text.map(escaped) },
    { weight: 1, arbitrary: fc.constantFrom('%00', '%ff', '%', '..', '%2e%2e', '', 'a%2Fb') },
  );
}

const joined = (parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((words) => words.join('/'));

function administrationPath(path: string, tools: AddressTools): fc.Arbitrary<string> {
  const id = segment(fc.constantFrom(...tools.ids), tools);
  return joined(['_admin', ...path.split('/')].map((word) => (word === '*' ? id : fc.constant(word))));
}

function repositoryPath(words: string, tools: AddressTools): fc.Arbitrary<string> {
  const name = words.startsWith('settings') ? fc.constant(tools.victim) : fc.constantFrom(...tools.kept);
  const archive = fc.constantFrom('zip', 'tar', 'tar.gz', 'tar.bz2', 'rar').map((kind) => `tip.${kind}`);
  const below = ['tip', 'docs', 'read.me'].map((word) => segment(fc.constant(word), tools));
  const rests = [0, 1, 2, 3].map((count) => fc.tuple(...below.slice(0, count)));
  const rest = words === 'archive' ? segment(archive, tools).map((one) => [one]) : fc.oneof(...rests);
  const head = fc.tuple(segment(name, tools), fc.constant(words));
  return fc.tuple(head, rest).map((parts) => parts.flat().join('/'));
}

/** Samples the address of any page, or of none, with any query. */
export function sampleAddress(tools: AddressTools): fc.Arbitrary<string> {
  const anywhere = fc.array(segment(fc.constant('g1'), tools), { maxLength: 4 }).map((words) => words.join('/'));
  const paths = [
    ...[...Object.keys(adminRoutes), 'login', 'logout', 'assets/x'].map((path) => administrationPath(path, tools)),
    ...Object.keys(repositoryPages).map((words) => repositoryPath(words, tools)),
  ].map((arbitrary) => ({ weight: 1, arbitrary }));
  const parameter = fc
    .tuple(fc.constantFrom(...queryNames), tools.hostile.text)
    .map(([name, text]) => `${name}=${escaped(text)}`);
  return fc
    .tuple(fc.oneof(...paths, { weight: 5, arbitrary: anywhere }), fc.array(parameter, { maxLength: 2 }))
    .map(([path, query]) => `/${path}${query.length > 0 ? `?${query.join('&')}` : ''}`);
}
