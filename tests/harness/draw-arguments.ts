import { requiredMark, served, type Arg, type ServedName } from '@trunkline/contracts';
import type { Hostility } from './hostile-values.ts';
import type { Random } from './random.ts';

type Some<T> = readonly [T, ...T[]];

const levels = ['none', 'read', 'write', 'admin'];
const perms: Some<unknown> = [
  'hg.create.repository',
  'hg.fork.repository',
  ...levels.flatMap((level) => [`repository.${level}`, `group.${level}`]),
];

/** What might be right for an argument of this name, where `users`, `groups` and so on are names that come and go. */
const plain: readonly (readonly [RegExp, Some<unknown>])[] = [
  [/^(?:userid|username|owner)$/, ['ann', 'bob', 'cid']],
  [/^user(?:s)?groupid$/, ['makers', 'readers']],
  [/^(?:repogroupid|group|parent|parent_group)$/, ['g1', 'g2', 'g1/sub']],
  [/^(?:repo_name|fork_name)$/, ['x', 'y', 'g1/x', 'g2/new/y']],
  [/^(?:group_name|name)$/, ['g1', 'g2', 'g1/sub', 'makers', 'readers', 'x', 'y']],
  [/^(?:revision|start|end|landing_rev)$/, ['tip', '0', '1', 'main', 'default', 'ffff']],
  [/^branch(?:_name)?$/, ['main', 'default']],
  [/^(?:root_path|path)$/, ['/', '', 'docs', 'docs/read.me']],
  [/^perm$/, perms],
  [/^(?:limit|context|timeout)$/, [1, 2, 50, 200]],
  [/^email$/, ['ann@example.com', 'new@example.com']],
  [/^ip$/, ['192.0.2.0/24', '2001:db8::/32']],
  [/^(?:repo_type)$/, ['hg', 'git']],
  [/^forks$/, ['', 'detach', 'delete']],
  [/^format$/, ['zip', 'tar', 'rss', 'atom']],
  [/^base_url$/, ['https://code.example.com']],
  [/^kind$/, ['own', 'public']],
  [/_date$/, ['2016-05-16', '2030-01-01T00:00:00']],
  [/password$/, ['a good password']],
  [/^ret_type$/, ['files', 'dirs', 'all']],
];
const flags: Some<unknown> = [true, false, 'true', 'no', 0];

export interface ArgumentTools {
  readonly random: Random;
  readonly hostile: Hostility;
  /** Repositories that this call may name. */
  readonly repositories: Some<unknown>;
}

function drawOne(name: string, { random, hostile, repositories }: ArgumentTools): unknown {
  if (random.below(5) < 2) return hostile.value();
  if (name === 'repoid') return random.pick(repositories);
  return random.pick(plain.find(([pattern]) => pattern.test(name))?.[1] ?? flags);
}

/** Arguments for an operation or a view: some that make sense, some hostile, some missing, some too many. */
export function drawArguments(method: ServedName, tools: ArgumentTools): Record<string, unknown> {
  const { random, hostile } = tools;
  const specs = Object.entries<Arg<unknown>>(served[method].args);
  const sent = specs.flatMap(([name, { fallback, alsoNamed }]) => {
    const leftOut = random.below(10) < (fallback === requiredMark ? 1 : 5);
    return leftOut ? [] : [[random.pick([name, name, ...alsoNamed]), drawOne(name, tools)] as const];
  });
  const extra = random.below(20) === 0 ? [[hostile.text(), hostile.value()] as const] : [];
  return Object.fromEntries([...sent, ...extra]);
}
