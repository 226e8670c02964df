import { type Fields, groupById, readTable, type SourceDatabase } from './read-table.ts';
import { fromUnixTime, parseLocalTime } from './times.ts';
import { readPermissions } from './read-grants.ts';
import type { SourceKey, SourceUser } from './source.ts';

const columns = [
  'user_id',
  'username',
  'password',
  'active',
  'admin',
  'firstname',
  'lastname',
  'email',
  'last_login',
  'created_on',
  'extern_type',
  'extern_name',
  'ldap_dn',
  'api_key',
  'inherit_default_permissions',
];

/** Expiry is a number of seconds since 1970, with a fraction; -1 is never. What is no number ends a key. */
function parseExpiry(text: string | null): Date | null {
  const seconds = Number(text ?? -1);
  return Number.isNaN(seconds) ? new Date(0) : fromUnixTime(seconds);
}

async function readFurther(source: SourceDatabase, zone: string) {
  const optional = { optional: true };
  const keyColumns = ['user_id', 'api_key', 'description', 'expires', 'created_on'];
  const keys = await readTable(source, 'user_api_keys', keyColumns, optional);
  const emails = await readTable(source, 'user_email_map', ['user_id', 'email'], optional);
  const networks = await readTable(source, 'user_ip_map', ['user_id', 'ip_addr'], optional);
  const toKey = (row: Fields): SourceKey | null => {
    const key = row.text('api_key');
    if (!key) return null;
    const createdAt = parseLocalTime(row.text('created_on'), zone);
    return { key, createdAt, description: row.text('description') ?? '', expiresAt: parseExpiry(row.text('expires')) };
  };
  return {
    keys: groupById(keys, 'user_id', toKey),
    emails: groupById(emails, 'user_id', (row) => row.text('email')),
    networks: groupById(networks, 'user_id', (row) => row.text('ip_addr')),
  };
}

export async function readUsers(
  source: SourceDatabase,
  names: ReadonlyMap<number, string>,
  zone: string,
): Promise<SourceUser[]> {
  const rows = await readTable(source, 'users', columns);
  const further = await readFurther(source, zone);
  const permissions = await readPermissions(source, names, 'user_to_perm', 'user_id');
  return rows.flatMap((row): SourceUser[] => {
    const id = row.id('user_id');
    if (id === null) return [];
    return [
      {
        id,
        username: row.text('username') ?? '',
        password: row.text('password') ?? '',
        active: row.flag('active', false),
        admin: row.flag('admin', false),
        firstname: row.text('firstname'),
        lastname: row.text('lastname'),
        email: row.text('email'),
        lastLogin: parseLocalTime(row.text('last_login'), zone),
        createdAt: parseLocalTime(row.text('created_on'), zone),
        externType: row.text('extern_type'),
        externName: row.text('extern_name'),
        ldapDn: row.text('ldap_dn'),
        apiKey: row.text('api_key'),
        inherits: row.flag('inherit_default_permissions', true),
        furtherKeys: further.keys.get(id) ?? [],
        furtherEmails: further.emails.get(id) ?? [],
        networks: further.networks.get(id) ?? [],
        permissions: permissions.get(id) ?? [],
      },
    ];
  });
}
