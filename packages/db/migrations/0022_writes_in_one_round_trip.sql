-- Writes in one round trip: rights, row lock, rights again, act and record are statements of one function. Each of them
-- sees what was committed before it began, as in a transaction of as many round trips.
-- A function that a release calls stays as it is: a changed one gets a new name, and the former one goes a release later.

-- caller_rights

-- Written from apps/vcs-worker/src/authz: UPDATE_DOCS=1 npx vitest run --project unit tests/docs
-- Reads what decides on a call. It suffices if the method demands one of these permissions (null for none) and this level
-- (null for no repository), and if the caller has the networks among which a worker has looked for the caller's address.
CREATE FUNCTION "caller_rights"(
  in_user_id integer, in_key_id integer, in_session_id integer, in_fingerprint text,
  in_repository_id integer, in_repository_name text,
  in_networks text[], in_permissions text[], in_least_level integer
) RETURNS TABLE (
  user_id integer,
  username text,
  admin boolean,
  limited_to text,
  usable boolean,
  networks text[],
  permissions text[],
  key_reaches boolean,
  repository_id integer,
  repository_name text,
  level integer,
  suffices boolean
) LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT r.*, (
      r.usable AND num_nonnulls(in_key_id, in_session_id, in_fingerprint) > 0
      AND r.networks <@ in_networks AND in_networks <@ r.networks
      AND r.limited_to IS NULL AND r.key_reaches
      AND (r.admin OR in_permissions IS NULL OR r.permissions && in_permissions)
      AND (in_least_level IS NULL OR r.repository_id IS NOT NULL AND (r.admin OR r.level >= in_least_level))
    ) IS TRUE
    FROM (select "users"."id", "users"."username", "users"."admin", "api_keys"."limited_to", "users"."active" and case
      when $2::int is not null then "users"."username_key" <> 'default' and "api_keys"."id" is not null
      and ("api_keys"."expires_at" is null or "api_keys"."expires_at" > now())
      when $3::int is not null then "users"."username_key" <> 'default' and "sessions"."id" is not null
      and "sessions"."expires_at" > now()
      when $4::text is not null then "users"."username_key" <> 'default'
      and encode(sha256(convert_to(
      concat("users"."password_hash", ' ', "users"."ldap_dn"), 'UTF8')), 'hex') = $4::text
      else "users"."username_key" = 'default' end, array(select ip_addr from "user_ip_addresses"
      where user_id = "users"."id" or user_id = (select id from users where username_key = 'default')), array(
      select permission from "user_global_permissions" where user_id = "users"."id" or user_id = (select id from users where username_key = 'default')
      union
      select g.permission from user_group_global_permissions g
      join user_group_members m on m.user_group_id = g.user_group_id and m.user_id = "users"."id"
      join user_groups ug on ug.id = g.user_group_id and ug.active), coalesce("repositories"."id" = any("api_keys"."repository_ids"),
      "api_keys"."repository_ids" is null), "repositories"."id", "repositories"."name", case
      when "users"."admin" or "repositories"."owner_id" = "users"."id" then 4
      else coalesce("own_row"."level", "group_level", case when "repositories"."private" then 0 else "default_user_row"."level" end, 0)
      end from "users"
      left join "api_keys" on ("api_keys"."id" = $2 and "api_keys"."user_id" = "users"."id")
      left join "sessions" on ("sessions"."id" = $3 and "sessions"."user_id" = "users"."id")
      left join "repositories" on ("repositories"."id" = coalesce(
      $5::int,
      (select id from repositories where name = $6::text)
      ) and "repositories"."state" = 'ready')
      left join "user_repository_permissions" "own_row" on ("own_row"."repository_id" = "repositories"."id" and "own_row"."user_id" = $1 and "own_row"."user_id" <> (select id from users where username_key = 'default'))
      left join "user_repository_permissions" "default_user_row" on ("default_user_row"."repository_id" = "repositories"."id" and "default_user_row"."user_id" = (select id from users where username_key = 'default'))
      left join (select "user_group_repository_permissions"."repository_id", max("user_group_repository_permissions"."level") as "group_level" from "user_group_repository_permissions" inner join "user_group_members" on "user_group_members"."user_group_id" = "user_group_repository_permissions"."user_group_id" inner join "user_groups" on ("user_groups"."id" = "user_group_members"."user_group_id" and "user_groups"."active" = 'true') where "user_group_members"."user_id" = $1 group by "user_group_repository_permissions"."repository_id") "by_group" on "by_group"."repository_id" = "repositories"."id" where "users"."id" = $1) r (user_id, username, admin, limited_to, usable, networks, permissions, key_reaches, repository_id, repository_name, level);
END $$;

-- end of caller_rights
--> statement-breakpoint
-- Locks the row of a repository until the transaction ends; returns false when it is gone, or has another name.
CREATE FUNCTION "lock_ready_repository"(in_id integer, in_name text, in_is_shared boolean) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  -- At first without waiting: only a wait needs the handler below, and with it a transaction within this one.
  IF in_is_shared THEN
    PERFORM FROM repositories r WHERE r.id = in_id AND r.state = 'ready' AND (in_name IS NULL OR r.name = in_name)
      FOR KEY SHARE SKIP LOCKED;
  ELSE
    PERFORM FROM repositories r WHERE r.id = in_id AND r.state = 'ready' AND (in_name IS NULL OR r.name = in_name)
      FOR NO KEY UPDATE SKIP LOCKED;
  END IF;
  IF FOUND THEN RETURN true; END IF;
  BEGIN
    IF in_is_shared THEN
      PERFORM FROM repositories r WHERE r.id = in_id AND r.state = 'ready' AND (in_name IS NULL OR r.name = in_name)
        FOR KEY SHARE;
    ELSE
      PERFORM FROM repositories r WHERE r.id = in_id AND r.state = 'ready' AND (in_name IS NULL OR r.name = in_name)
        FOR NO KEY UPDATE;
    END IF;
    RETURN FOUND;
  EXCEPTION WHEN lock_not_available THEN
    -- The call tries again later, and only on this repository.
    RAISE lock_not_available USING MESSAGE = 'the row of a repository is locked', DETAIL = in_id;
  END;
END $$;
--> statement-breakpoint
-- Records a call that acts in the same transaction; returns false when the same command was run before.
CREATE FUNCTION "record_write"(
  in_request_id uuid, in_user_id integer, in_username text, in_ip text, in_method text, in_args jsonb, in_repository_id integer
) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO audit_log (request_id, actor_id, actor, ip, method, args, repository_id, outcome)
    SELECT in_request_id, in_user_id, in_username, in_ip, in_method, in_args, in_repository_id, 'succeeded'
    -- A refusal that was only counted has its id in another table.
    WHERE NOT EXISTS (SELECT FROM counted_refusals c WHERE c.request_id = in_request_id)
    ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;
--> statement-breakpoint
-- Does one act of a call on the repository that the call names. `out_step` is `done`, or why nothing was done: `refused`
-- (by the rights), `missing` (the repository), `unfit` (target or level), `repeated` (the command was run before).
CREATE FUNCTION "write_on_repository"(
  -- The caller by credential, what the method demands, and the repository: as in `caller_rights`.
  in_user_id integer, in_key_id integer, in_session_id integer, in_fingerprint text,
  in_networks text[], in_permissions text[], in_least_level integer,
  in_repository_id integer, in_repository_name text,
  -- The repository that an earlier run of the call has found: a name that has passed to another one since names none.
  in_former_id integer,
  in_act text, in_target_id integer, in_target_name text, in_level integer,
  in_request_id uuid, in_ip text, in_method text, in_args jsonb,
  in_is_brief boolean,
  OUT out_step text,
  OUT out_usable boolean, OUT out_user_id integer, OUT out_username text, OUT out_admin boolean, OUT out_limited_to text,
  OUT out_networks text[], OUT out_permissions text[], OUT out_key_reaches boolean,
  OUT out_repository_id integer, OUT out_repository_name text, OUT out_level integer,
  OUT out_target_id integer, OUT out_target_name text, OUT out_changed boolean, OUT out_locked_at timestamptz
) LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  suffices boolean;
BEGIN
  IF in_is_brief THEN PERFORM set_config('lock_timeout', '100ms', true); END IF;
  -- Before the lock, so that nobody without the right locks a row; and under it, since rights may be gone after a wait.
  FOR reading IN 1..2 LOOP
    SELECT r.usable, r.user_id, r.username, r.admin, r.limited_to, r.networks, r.permissions, r.key_reaches,
        r.repository_id, r.repository_name, r.level, r.suffices
      INTO out_usable, out_user_id, out_username, out_admin, out_limited_to, out_networks, out_permissions, out_key_reaches,
        out_repository_id, out_repository_name, out_level, suffices
      FROM caller_rights(in_user_id, in_key_id, in_session_id, in_fingerprint, in_repository_id, in_repository_name,
        in_networks, in_permissions, in_least_level) r;
    out_step := 'refused';
    IF suffices IS NOT TRUE THEN RETURN; END IF;
    out_step := 'missing';
    IF out_repository_id <> in_former_id THEN RETURN; END IF;
    in_former_id := out_repository_id;
    IF reading = 1 AND NOT lock_ready_repository(out_repository_id, in_repository_name, in_act = 'follow') THEN
      RETURN;
    END IF;
  END LOOP;

  IF in_act IN ('set_user_group_level', 'remove_user_group_level') THEN
    SELECT g.id, g.name INTO out_target_id, out_target_name FROM user_groups g
      WHERE g.id = coalesce(in_target_id, (SELECT n.id FROM user_groups n WHERE n.name = in_target_name));
  ELSE
    SELECT u.id, u.username INTO out_target_id, out_target_name FROM users u
      WHERE u.id = coalesce(in_target_id, (SELECT n.id FROM users n WHERE n.username = in_target_name));
  END IF;
  out_step := 'unfit';
  IF out_target_id IS NULL
    OR in_act IN ('set_user_level', 'set_user_group_level') AND in_level IS NULL
    OR in_act IN ('lock', 'unlock', 'follow') AND NOT out_admin AND out_target_id <> out_user_id
    OR in_act = 'follow' AND out_target_name = 'default'
  THEN RETURN; END IF;

  out_step := 'repeated';
  IF NOT record_write(in_request_id, out_user_id, out_username, in_ip, in_method, in_args, out_repository_id) THEN
    RETURN;
  END IF;

  out_step := 'done';
  CASE in_act
    WHEN 'set_user_level' THEN
      -- A changed level keeps its position in the order of grants.
      INSERT INTO user_repository_permissions (user_id, repository_id, level)
        VALUES (out_target_id, out_repository_id, in_level)
        ON CONFLICT (user_id, repository_id) DO UPDATE SET level = excluded.level;
    WHEN 'remove_user_level' THEN
      DELETE FROM user_repository_permissions p WHERE p.user_id = out_target_id AND p.repository_id = out_repository_id;
    WHEN 'set_user_group_level' THEN
      INSERT INTO user_group_repository_permissions (user_group_id, repository_id, level)
        VALUES (out_target_id, out_repository_id, in_level)
        ON CONFLICT (user_group_id, repository_id) DO UPDATE SET level = excluded.level;
    WHEN 'remove_user_group_level' THEN
      DELETE FROM user_group_repository_permissions p
        WHERE p.user_group_id = out_target_id AND p.repository_id = out_repository_id;
    WHEN 'lock' THEN
      UPDATE repositories r SET locked_by_id = out_target_id, locked_at = date_trunc('milliseconds', now())
        WHERE r.id = out_repository_id RETURNING r.locked_at INTO out_locked_at;
    WHEN 'unlock' THEN
      UPDATE repositories r SET locked_by_id = NULL, locked_at = NULL WHERE r.id = out_repository_id;
    WHEN 'follow' THEN
      INSERT INTO followers (user_id, repository_id) VALUES (out_target_id, out_repository_id) ON CONFLICT DO NOTHING;
  END CASE;
  out_changed := FOUND;
END $$;
--> statement-breakpoint
-- Does one act of a call on a user, a user group or both, which are missing when the call names none; `out_step` is as
-- above. What the caller may do is in the method's permissions alone.
CREATE FUNCTION "write_on_holder"(
  in_user_id integer, in_key_id integer, in_session_id integer, in_fingerprint text,
  in_networks text[], in_permissions text[],
  in_act text, in_target_id integer, in_target_name text, in_group_id integer, in_group_name text, in_permission text,
  in_request_id uuid, in_ip text, in_method text, in_args jsonb,
  in_is_brief boolean,
  OUT out_step text,
  OUT out_usable boolean, OUT out_user_id integer, OUT out_username text, OUT out_admin boolean, OUT out_limited_to text,
  OUT out_networks text[], OUT out_permissions text[], OUT out_key_reaches boolean,
  OUT out_target_id integer, OUT out_target_name text, OUT out_group_id integer, OUT out_group_name text,
  OUT out_changed boolean
) LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  suffices boolean;
BEGIN
  IF in_is_brief THEN PERFORM set_config('lock_timeout', '100ms', true); END IF;
  SELECT r.usable, r.user_id, r.username, r.admin, r.limited_to, r.networks, r.permissions, r.key_reaches, r.suffices
    INTO out_usable, out_user_id, out_username, out_admin, out_limited_to, out_networks, out_permissions, out_key_reaches,
      suffices
    FROM caller_rights(in_user_id, in_key_id, in_session_id, in_fingerprint, NULL, NULL, in_networks, in_permissions, NULL) r;
  out_step := 'refused';
  IF suffices IS NOT TRUE THEN RETURN; END IF;

  SELECT u.id, u.username INTO out_target_id, out_target_name FROM users u
    WHERE u.id = coalesce(in_target_id, (SELECT n.id FROM users n WHERE n.username = in_target_name));
  SELECT g.id, g.name INTO out_group_id, out_group_name FROM user_groups g
    WHERE g.id = coalesce(in_group_id, (SELECT n.id FROM user_groups n WHERE n.name = in_group_name));
  out_step := 'unfit';
  IF in_act IN ('add_member', 'remove_member') AND num_nonnulls(out_target_id, out_group_id) <> 2
    OR in_act IN ('grant', 'revoke') AND (in_permission IS NULL OR num_nonnulls(out_target_id, out_group_id) <> 1
      OR num_nonnulls(in_target_id, in_target_name, in_group_id, in_group_name) <> 1)
  THEN RETURN; END IF;

  out_step := 'repeated';
  IF NOT record_write(in_request_id, out_user_id, out_username, in_ip, in_method, in_args, NULL) THEN RETURN; END IF;

  out_step := 'done';
  CASE
    WHEN in_act = 'add_member' THEN
      INSERT INTO user_group_members (user_id, user_group_id) VALUES (out_target_id, out_group_id) ON CONFLICT DO NOTHING;
    WHEN in_act = 'remove_member' THEN
      DELETE FROM user_group_members m WHERE m.user_id = out_target_id AND m.user_group_id = out_group_id;
    WHEN in_act = 'grant' AND out_group_id IS NULL THEN
      INSERT INTO user_global_permissions (user_id, permission) VALUES (out_target_id, in_permission)
        ON CONFLICT DO NOTHING;
    WHEN in_act = 'grant' THEN
      INSERT INTO user_group_global_permissions (user_group_id, permission) VALUES (out_group_id, in_permission)
        ON CONFLICT DO NOTHING;
    WHEN in_act = 'revoke' AND out_group_id IS NULL THEN
      DELETE FROM user_global_permissions p WHERE p.user_id = out_target_id AND p.permission = in_permission;
    WHEN in_act = 'revoke' THEN
      DELETE FROM user_group_global_permissions p WHERE p.user_group_id = out_group_id AND p.permission = in_permission;
  END CASE;
  out_changed := FOUND;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "caller_rights", "lock_ready_repository", "record_write", "write_on_repository", "write_on_holder"
  FROM PUBLIC;
