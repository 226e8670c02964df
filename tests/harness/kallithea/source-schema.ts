/** The generations of the schema that are imported, by the releases that have it. */
export type Generation = 'kallithea 0.7' | 'rhodecode 1.7';

type Kind = 'id' | 'text' | 'flag' | 'time' | 'number' | 'bytes';
type Columns = Readonly<Record<string, Kind>>;
export type Dialect = 'sqlite' | 'postgres';

const types: Readonly<Record<Kind, Readonly<Record<Dialect, string>>>> = {
  id: { sqlite: 'INTEGER', postgres: 'INTEGER' },
  text: { sqlite: 'VARCHAR(10000)', postgres: 'VARCHAR(10000)' },
  flag: { sqlite: 'BOOLEAN', postgres: 'BOOLEAN' },
  time: { sqlite: 'DATETIME', postgres: 'TIMESTAMP WITHOUT TIME ZONE' },
  number: { sqlite: 'FLOAT', postgres: 'DOUBLE PRECISION' },
  bytes: { sqlite: 'BLOB', postgres: 'BYTEA' },
};

/** Columns that all generations have, as far as an import could read them. */
const common: Readonly<Record<string, Columns>> = {
  permissions: { permission_id: 'id', permission_name: 'text' },
  users: {
    user_id: 'id',
    username: 'text',
    password: 'text',
    active: 'flag',
    admin: 'flag',
    firstname: 'text',
    lastname: 'text',
    email: 'text',
    last_login: 'time',
    api_key: 'text',
  },
  user_email_map: { email_id: 'id', user_id: 'id', email: 'text' },
  user_ip_map: { ip_id: 'id', user_id: 'id', ip_addr: 'text', active: 'flag' },
  user_logs: { user_log_id: 'id', user_id: 'id', action: 'text', action_date: 'time' },
  users_groups: { users_group_id: 'id', users_group_name: 'text', users_group_active: 'flag', user_id: 'id' },
  users_groups_members: { users_group_member_id: 'id', users_group_id: 'id', user_id: 'id' },
  repositories: {
    repo_id: 'id',
    repo_name: 'text',
    clone_uri: 'text',
    repo_type: 'text',
    user_id: 'id',
    private: 'flag',
    statistics: 'flag',
    downloads: 'flag',
    description: 'text',
    created_on: 'time',
    updated_on: 'time',
    landing_revision: 'text',
    changeset_cache: 'bytes',
    fork_id: 'id',
    group_id: 'id',
  },
  groups: { group_id: 'id', group_name: 'text', group_parent_id: 'id', group_description: 'text', user_id: 'id' },
  repo_to_perm: { repo_to_perm_id: 'id', user_id: 'id', permission_id: 'id', repository_id: 'id' },
  user_to_perm: { user_to_perm_id: 'id', user_id: 'id', permission_id: 'id' },
  users_group_repo_to_perm: {
    users_group_to_perm_id: 'id',
    users_group_id: 'id',
    permission_id: 'id',
    repository_id: 'id',
  },
  users_group_to_perm: { users_group_to_perm_id: 'id', users_group_id: 'id', permission_id: 'id' },
  user_repo_group_to_perm: { group_to_perm_id: 'id', user_id: 'id', group_id: 'id', permission_id: 'id' },
  users_group_repo_group_to_perm: {
    users_group_repo_group_to_perm_id: 'id',
    users_group_id: 'id',
    group_id: 'id',
    permission_id: 'id',
  },
  user_user_group_to_perm: {
    user_user_group_to_perm_id: 'id',
    user_id: 'id',
    permission_id: 'id',
    user_group_id: 'id',
  },
  user_followings: { user_following_id: 'id', user_id: 'id', follows_repository_id: 'id', follows_user_id: 'id' },
  changeset_comments: { comment_id: 'id', repo_id: 'id', text: 'text' },
  pull_requests: { pull_request_id: 'id', title: 'text' },
};

const own: Readonly<Record<Generation, Readonly<Record<string, Columns>>>> = {
  'kallithea 0.7': {
    users: { extern_type: 'text', extern_name: 'text', created_on: 'time', user_data: 'bytes' },
    user_api_keys: {
      user_api_key_id: 'id',
      user_id: 'id',
      api_key: 'text',
      description: 'text',
      expires: 'number',
      created_on: 'time',
    },
    users_groups: { user_group_description: 'text', created_on: 'time', group_data: 'bytes' },
    repositories: { repo_state: 'text' },
    groups: { created_on: 'time' },
    gists: { gist_id: 'id', gist_description: 'text' },
  },
  'rhodecode 1.7': {
    users: { ldap_dn: 'text', inherit_default_permissions: 'flag' },
    users_groups: { users_group_inherit_default_permissions: 'flag' },
    repositories: { enable_locking: 'flag', locked: 'text' },
    groups: { enable_locking: 'flag' },
  },
};

/** Returns the columns of each table of a generation. */
export function tablesOf(generation: Generation): ReadonlyMap<string, Columns> {
  const names = new Set([...Object.keys(common), ...Object.keys(own[generation])]);
  return new Map([...names].map((name) => [name, { ...common[name], ...own[generation][name] }]));
}

/** Returns the statements that create the tables of a generation. */
export function createStatements(generation: Generation, dialect: Dialect): string[] {
  return [...tablesOf(generation)].map(([name, columns]) => {
    const list = Object.entries(columns).map(([column, kind]) => `"${column}" ${types[kind][dialect]}`);
    return `CREATE TABLE "${name}" (${list.join(', ')})`;
  });
}
