import { mainBranch } from './unique-name.ts';

type Some<T> = readonly [T, ...T[]];

const levelsOf = (kind: string): Some<string> => [`${kind}.none`, `${kind}.read`, `${kind}.write`, `${kind}.admin`];
const flags: Some<unknown> = [true, false, true, false, 'true'];

/** Values that might be right, by `<method>.<argument>`; calls create and delete the users and groups among them. */
const plain: readonly (readonly [RegExp, Some<unknown>])[] = [
  [/\.(?:userid|username|owner)$/, ['ann', 'bob', 'cid', 'dan', 'eve']],
  [/\.users?groupid$/, ['makers', 'readers']],
  [/default_permissions\.group$/, levelsOf('group')],
  [/\.(?:repogroupid|group|parent|parent_group)$/, ['g1', 'g2', 'g1/sub']],
  [/\.(?:repo_name|fork_name)$/, ['x', 'y', 'g1/x', 'g2/new/y', 'n1', 'n2', 'n3', 'n4', 'g3/n', 'g4/n']],
  [/\.(?:group_name|name)$/, ['g1', 'g2', 'g3', 'makers', 'readers', 'team', 'n1']],
  [/\.(?:revision|commit_id|start|end|landing_rev)$/, ['tip', '0', '1', 'tip', 'tip', mainBranch, 'default', 'ffff']],
  [/\.branch(?:_name)?$/, [mainBranch, 'default']],
  [/\.(?:root_path|path|file_path)$/, ['/', '', 'docs', 'docs/read.me']],
  [/global_permission\.perm$/, ['hg.create.repository', 'hg.fork.repository']],
  [/to_repo_group\.perm$/, levelsOf('group')],
  [/\.perm$/, levelsOf('repository')],
  [/\.apply_to_children$/, ['none', 'repos', 'groups', 'all']],
  [/\.(?:limit|context|timeout)$/, [1, 2, 50, 200]],
  [/\.email$/, ['ann@example.com', 'a@example.com', 'b@example.com', 'c@example.com', 'd@example.com']],
  [/\.ip$/, ['192.0.2.0/24', '2001:db8::/32']],
  [/\.repo_type$/, ['hg', 'git']],
  [/\.forks$/, ['', 'detach', 'delete']],
  [/archive\.format$/, ['zip', 'tar', 'tar.gz']],
  [/feed\.format$/, ['rss', 'atom']],
  [/\.base_url$/, ['https://code.example.com']],
  [/\.kind$/, ['own', 'public']],
  [/_date$/, ['2016-05-16', '2030-01-01T00:00:00']],
  [/password$/, ['a good password']],
  [/\.details$/, ['minimal', 'basic', 'full']],
  [/\.max_file_bytes$/, [0, 1, 1_000]],
  [/\.ret_type$/, ['files', 'dirs', 'all']],
  [/\.(?:description|firstname|lastname|filter|method)$/, ['', 'some words', 'x']],
  [/\.(?:clone_uri|ldap_dn|extern_type|extern_name|cursor)$/, [null]],
  [/\.(?:outcome|state)$/, [null, 'running', 'failed']],
  [/\.lifetime$/, [-1, 60]],
  [/\.api_key_id$/, [3, 4, 5, 6, 7, 8]],
  [/\.repository$/, levelsOf('repository')],
  [/\.usergroup$/, levelsOf('usergroup')],
  [/\.register$/, ['hg.register.none']],
  [/\.ids$/, [[1, 2, 3]]],
  [/\.args$/, [{ a: [1] }]],
];

/** Returns values that might be right for this argument; flags when no pattern matches its name. */
export function plainValues(method: string, name: string): Some<unknown> {
  const [, values = flags] = plain.find(([pattern]) => pattern.test(`${method}.${name}`)) ?? [];
  return values;
}
