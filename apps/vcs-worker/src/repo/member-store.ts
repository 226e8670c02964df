import { prepared, users, type Db } from '@trunkline/db';
import { sql, type SQL } from 'drizzle-orm';
import { gatherEmails } from '../user/gather-emails.ts';

const repositoryId = sql`${sql.placeholder('repositoryId')}::int`;

/** What everybody sees of a user, with a row for each e-mail address. */
const userColumns = sql`u.id, u.username as name, u.firstname, u.lastname, u.active, u.admin, u.ldap_dn, u.last_login,
  e.id as email_id, e.email, e.is_primary`;
const userTables = sql`join users u on u.id = given.user_id left join user_emails e on e.user_id = u.id`;

const sealedKey = sql`(select sealed from api_keys where user_id = u.id and builtin)`;
const networks = sql`array(select ip_addr from user_ip_addresses where user_id = u.id order by id)`;
const none = sql`null`;

const kinds = { user: 1, group: 2, follower: 3 } as const;

/**
 * Query for all who have something to do with a repository, in the order in which that began; for administrators with
 * keys, and the networks of followers. One statement costs less than one for each kind.
 */
function relatedQuery(name: string, shown: { readonly key: SQL; readonly networks: SQL }) {
  const related = sql`(
    select 1 as kind, given.granted_at as since, ${userColumns}, given.level, ${shown.key} as sealed, null::text[] as networks
      from user_repository_permissions given ${userTables} where given.repository_id = ${repositoryId}
    union all
    select 2, given.granted_at, g.id, g.name, null, null, g.active, null, null, null, null, null, null, given.level, null, null
      from user_group_repository_permissions given join user_groups g on g.id = given.user_group_id
      where given.repository_id = ${repositoryId}
    union all
    select 3, given.followed_at, ${userColumns}, null, ${shown.key}, ${shown.networks}
      from followers given ${userTables} where given.repository_id = ${repositoryId}
  ) related`;
  return prepared((db) =>
    db
      .select({
        kind: sql<number>`kind`,
        level: sql<number>`level`,
        email: sql<string | null>`email`,
        isPrimary: sql<boolean | null>`is_primary`,
        user: {
          id: sql<number>`id`.as('id'),
          username: sql<string>`name`.as('name'),
          firstname: sql<string | null>`firstname`.as('firstname'),
          lastname: sql<string | null>`lastname`.as('lastname'),
          active: sql<boolean>`active`.as('active'),
          admin: sql<boolean>`admin`.as('admin'),
          ldapDn: sql<string | null>`ldap_dn`.as('ldap_dn'),
          lastLogin: sql<Date | null>`last_login`.mapWith(users.lastLogin).as('last_login'),
          sealedKey: sql<Buffer | null>`sealed`.as('sealed'),
          networks: sql<string[] | null>`networks`.as('networks'),
        },
      })
      .from(related)
      .orderBy(sql`kind, since, id, email_id`)
      .prepare(name),
  );
}

const related = relatedQuery('related', { key: none, networks: none });
const relatedWithKeys = relatedQuery('related_with_keys', { key: sealedKey, networks });

/**
 * Lists the users and user groups with a row of their own on a repository, the user `default` included, and the
 * followers. Keys and networks are there for administrators alone.
 */
export async function listRelated(db: Db, id: number, toAdmin: boolean) {
  const rows = await (toAdmin ? relatedWithKeys : related)(db).execute({ repositoryId: id });
  const of = (kind: keyof typeof kinds) => rows.filter((row) => row.kind === kinds[kind]);
  return {
    users: gatherEmails(of('user')),
    groups: of('group').map(({ user: { id: groupId, username: name, active }, level }) => ({
      id: groupId,
      name,
      active,
      level,
    })),
    followers: gatherEmails(of('follower')).map(({ user }) => user),
  };
}
