import type postgres from 'postgres';

/**
 * Adds repositories without bytes, `from` to `to`, each with an operation and an entry of the audit log: every third is
 * hidden from everybody, and so is the first half. Every second is a fork, a tenth of these of `r1`, if their source is there.
 */
export async function addRepositories(sql: postgres.Sql, from: number, to: number): Promise<void> {
  await sql`insert into names (path, kind) select 'r' || n, 'repository' from generate_series(${from}::int, ${to}::int) n`;
  await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics, fork_of_id)
    select gen_random_uuid(), 'r' || n, 'git', 'ready', (select id from storages where name = 'default'), 'made/' || n,
      n < ${to / 2} or n % 3 = 0, '', (select id from users where username = 'admin'), 'tip', false, false, false,
      source.id
    from generate_series(${from}::int, ${to}::int) n
      left join repositories source on source.name = 'r' || case when n % 20 = 0 then 1 when n % 2 = 0 then 2 + n % 97 end
    order by n`;
  await sql`insert into user_repository_permissions (user_id, repository_id, level)
    select u.id, r.id, case when private then 0 else 1 end from repositories r, users u where u.username = 'default'
    on conflict do nothing`;
  await sql`insert into user_group_repository_permissions (user_group_id, repository_id, level)
    select g.id, r.id, 1 from user_groups g, repositories r where g.name = 'others'
    on conflict do nothing`;
  await sql`insert into audit_log (request_id, actor_id, actor, ip, method, args, outcome, repository_id)
    select r.uuid, r.owner_id, 'admin', '', 'create_repo', '{}', 'succeeded', r.id from repositories r
    where r.id not in (select repository_id from operations) order by r.id`;
  await sql`insert into operations (id, kind, repository_id, actor_id, request, state, attempt, finished_at)
    select request_id, 'create', repository_id, actor_id, '{}', 'done', 1, at from audit_log
    where method = 'create_repo' and request_id not in (select id from operations)`;
  await sql`analyze`;
}

/** Adds so many deleted repositories: the last half on the storage `lost`, and every tenth of the others on `third`. */
export async function addDeleted(sql: postgres.Sql, count: number): Promise<void> {
  await sql`insert into storages (id, name, state) values (gen_random_uuid(), 'lost', 'lost'), (gen_random_uuid(), 'third', 'active')
    on conflict do nothing`;
  await sql`insert into deleted_repositories
      (repository_id, operation_id, storage_id, name, owner_id, deleted_at, fork_ids, document, kept_since)
    select 1000000 + n, gen_random_uuid(), s.id, 'd' || n, 1, now() - interval '2 days' + make_interval(secs => n), '{}',
      '{"repository": {}}', case s.name when 'third' then now() - interval '1 hour' else now() end
    from generate_series(1, ${count}::int) n
      join storages s on s.name = case when n > ${count / 2} then 'lost' when n % 10 = 0 then 'third' else 'default' end
    on conflict do nothing`;
  await sql`analyze`;
}

/** Adds a user who owns two hidden repositories, and may read two by own rows and two by a group. */
export async function addGuest(sql: postgres.Sql): Promise<void> {
  await sql`insert into users (username, username_key) values ('reader', 'reader'), ('guest', 'guest')`;
  await sql`insert into user_groups (name, name_key, owner_id)
    select name, name, min(id) from users, (values ('team'), ('others')) made (name) group by name`;
  await sql`insert into user_group_members (user_id, user_group_id) select u.id, g.id from users u, user_groups g
    where username = 'guest' and g.name = 'team'`;
  await sql`update repositories set owner_id = (select id from users where username = 'guest')
    where name in ('r3', 'r66')`;
  await sql`insert into user_repository_permissions (user_id, repository_id, level)
    select u.id, r.id, 3 from users u, repositories r where username = 'guest' and r.name in ('r6', 'r69')`;
  await sql`insert into user_group_repository_permissions (user_group_id, repository_id, level)
    select g.id, r.id, 1 from user_groups g, repositories r where g.name = 'team' and r.name in ('r9', 'r99')`;
  await sql`update repositories set locked_at = now(), locked_by_id = u.id from users u
    where username = 'guest' and repositories.name in ('r3', 'r9', 'r99') or username = 'admin' and repositories.name = 'r50'`;
}

/** Gives everybody this level on the repositories that are not private. */
export async function setPublicLevel(sql: postgres.Sql, level: number): Promise<void> {
  await sql`update user_repository_permissions set level = ${level} from repositories r
    where r.id = repository_id and not r.private and user_id = (select id from users where username = 'default')`;
  await sql`analyze`;
}

/** Samples states, locks and rights for a part of the repositories. */
export async function sampleRights(sql: postgres.Sql, seed: number): Promise<void> {
  await sql`select setseed(${seed / 2 ** 31})`;
  await sql`update repositories set private = random() < 0.5, owner_id = case when random() < 0.05
      then (select id from users where username = 'guest') else owner_id end,
    locked_by_id = u.id, locked_at = case when random() < 0.2 then now() end,
    state = case when random() < 0.1 then 'deleting' when random() < 0.1 then 'creating' else 'ready' end
    from (select id from users where username in ('guest', 'admin')) u where repositories.id < 4000`;
  await sql`insert into user_groups (name, name_key, owner_id, active) select 'off', 'off', min(id), false from users`;
  await sql`insert into user_group_members (user_id, user_group_id) select u.id, g.id from users u, user_groups g
    where username = 'guest' and g.name = 'off'`;
  await sql`delete from user_repository_permissions where repository_id < 4000`;
  await sql`insert into user_repository_permissions (user_id, repository_id, level)
    select u.id, r.id, (array[0, 1, 3, 4])[1 + floor(random() * 4)::int] from users u, repositories r
    where r.id < 4000 and (username = 'guest' and random() < 0.3 or username = 'default' and random() < 0.9)`;
  await sql`insert into user_group_repository_permissions (user_group_id, repository_id, level)
    select g.id, r.id, (array[0, 1, 3, 4])[1 + floor(random() * 4)::int] from user_groups g, repositories r
    where g.name <> 'others' and r.id between 100 and 4000 and random() < 0.3`;
}

/** Returns the ids of all repositories that a user may read: the rule for one repository, applied to each. */
export async function readableByRule(sql: postgres.Sql, userId: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`select r.id from repositories r join users u on u.id = ${userId}
    where r.state = 'ready' and case when u.admin or r.owner_id = u.id then 4 else coalesce(
      (select p.level from user_repository_permissions p
        where p.repository_id = r.id and p.user_id = u.id and u.username <> 'default'),
      (select max(p.level) from user_group_repository_permissions p join user_groups g on g.id = p.user_group_id
        join user_group_members m on m.user_group_id = g.id and m.user_id = u.id
        where p.repository_id = r.id and g.active),
      (select case when r.private then 0 else p.level end from user_repository_permissions p join users d on d.id = p.user_id
        where p.repository_id = r.id and d.username = 'default'), 0) end >= 1
    order by r.id`;
  return rows.map(({ id }) => id);
}
