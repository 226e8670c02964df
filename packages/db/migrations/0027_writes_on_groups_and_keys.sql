CREATE INDEX "user_groups_name_index" ON "user_groups" USING btree ("name");--> statement-breakpoint
-- More writes in one round trip, as in 0022: levels on repository groups, API keys, what a repository's row records of its
-- bytes, and followers who leave.

-- level_on_repo_group

-- Written from apps/vcs-worker/src/authz: UPDATE_DOCS=1 npx vitest run --project unit tests/docs
CREATE FUNCTION "level_on_repo_group"(in_user_id integer, in_repo_group_id integer, in_repo_group_name text)
RETURNS TABLE (repo_group_id integer, repo_group_name text, level integer)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY select "repo_groups"."id", "repo_groups"."name", case when "users"."admin" or "repo_groups"."owner_id" = "users"."id" then 4 else coalesce(
      (select p.level from user_repo_group_permissions p where p.user_id = $1::int and p.repo_group_id = "repo_groups"."id"),
      (select max(p.level) from user_group_repo_group_permissions p
      join user_group_members m on m.user_group_id = p.user_group_id and m.user_id = $1::int
      join user_groups g on g.id = p.user_group_id and g.active
      where p.repo_group_id = "repo_groups"."id"),
      (select p.level from user_repo_group_permissions p where p.user_id = (select id from users where username_key = 'default') and p.repo_group_id = "repo_groups"."id"),
      0) end from "repo_groups" inner join "users" on "users"."id" = $1 where "repo_groups"."id" = coalesce(
      $2::int,
      (select id from repo_groups where name = $3::text)
      );
END $$;

-- end of level_on_repo_group
--> statement-breakpoint
-- Locks the row of a repository group against changes of its levels until the transaction ends; returns false when it is
-- gone, or has another name.
CREATE FUNCTION "lock_repo_group"(in_id integer, in_name text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  waited_for text;
BEGIN
  -- At first without waiting: only a wait needs the handler below, and with it a transaction within this one.
  PERFORM FROM repo_groups g WHERE g.id = in_id AND (in_name IS NULL OR g.name = in_name) FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN RETURN true; END IF;
  BEGIN
    PERFORM FROM repo_groups g WHERE g.id = in_id AND (in_name IS NULL OR g.name = in_name) FOR NO KEY UPDATE;
    RETURN FOUND;
  EXCEPTION WHEN lock_not_available THEN
    -- The call tries again later, and only on this group. The hint names the row, for which other calls may wait, too.
    GET STACKED DIAGNOSTICS waited_for = PG_EXCEPTION_CONTEXT;
    RAISE lock_not_available USING MESSAGE = 'the row of a repository group is locked', DETAIL = in_id, HINT = waited_for;
  END;
END $$;
--> statement-breakpoint
-- Keeps a user or a user group from being removed until the transaction ends; returns false when the row is gone. A row that
-- refers to it does the same, but the error of its wait would not tell on which object the call is to be tried again.
CREATE FUNCTION "keep_holder"(in_is_group boolean, in_id integer, in_object_id integer) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  waited_for text;
BEGIN
  IF in_is_group THEN
    PERFORM FROM user_groups g WHERE g.id = in_id FOR KEY SHARE SKIP LOCKED;
  ELSE
    PERFORM FROM users u WHERE u.id = in_id FOR KEY SHARE SKIP LOCKED;
  END IF;
  IF FOUND THEN RETURN true; END IF;
  BEGIN
    IF in_is_group THEN
      PERFORM FROM user_groups g WHERE g.id = in_id FOR KEY SHARE;
    ELSE
      PERFORM FROM users u WHERE u.id = in_id FOR KEY SHARE;
    END IF;
    RETURN FOUND;
  EXCEPTION WHEN lock_not_available THEN
    GET STACKED DIAGNOSTICS waited_for = PG_EXCEPTION_CONTEXT;
    RAISE lock_not_available USING MESSAGE = 'the row of a user or a user group is locked', DETAIL = in_object_id,
      HINT = waited_for;
  END;
END $$;
--> statement-breakpoint
-- Takes the part of `write_on_repository`. Beside its acts: `unfollow`, `show_lock`, which changes and records nothing, and
-- `record_state`, which records what was read of the bytes of a repository in a generation, if it still has that one, and
-- begins another.
CREATE FUNCTION "act_on_repository"(
  -- The caller by credential, what the method demands, and the repository: as in `caller_rights`.
  in_user_id integer, in_key_id integer, in_session_id integer, in_fingerprint text,
  in_networks text[], in_permissions text[], in_least_level integer,
  in_repository_id integer, in_repository_name text,
  -- The repository that an earlier run of the call has found: a name that has passed to another one since names none.
  in_former_id integer,
  in_act text, in_target_id integer, in_target_name text, in_level integer,
  in_read_id integer, in_read_generation bigint, in_tip jsonb, in_default_branch text,
  in_request_id uuid, in_ip text, in_method text, in_args jsonb,
  in_is_brief boolean,
  OUT out_step text,
  OUT out_usable boolean, OUT out_user_id integer, OUT out_username text, OUT out_admin boolean, OUT out_limited_to text,
  OUT out_networks text[], OUT out_permissions text[], OUT out_key_reaches boolean,
  OUT out_repository_id integer, OUT out_repository_name text, OUT out_level integer,
  OUT out_target_id integer, OUT out_target_name text, OUT out_changed boolean,
  OUT out_is_follower boolean, OUT out_locked_by text, OUT out_locked_at timestamptz
) LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  suffices boolean;
  of_user_group constant boolean := in_act IN ('set_user_group_level', 'remove_user_group_level');
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
    -- What it removes depends on nothing that the lock protects.
    EXIT WHEN in_act = 'unfollow';
    IF reading = 1
      AND NOT lock_ready_repository(out_repository_id, in_repository_name, in_act IN ('follow', 'show_lock'))
    THEN
      RETURN;
    END IF;
  END LOOP;

  IF of_user_group THEN
    SELECT g.id, g.name INTO out_target_id, out_target_name FROM user_groups g
      WHERE g.id = coalesce(in_target_id, (SELECT n.id FROM user_groups n WHERE n.name = in_target_name));
  ELSE
    SELECT u.id, u.username INTO out_target_id, out_target_name FROM users u
      WHERE u.id = coalesce(in_target_id, (SELECT n.id FROM users n WHERE n.username = in_target_name));
  END IF;
  IF in_act = 'unfollow' THEN
    out_is_follower := EXISTS (SELECT FROM followers f WHERE f.user_id = out_user_id AND f.repository_id = out_repository_id);
  END IF;
  out_step := 'unfit';
  IF out_target_id IS NULL
    OR in_act IN ('set_user_level', 'set_user_group_level') AND in_level IS NULL
    OR in_act IN ('lock', 'unlock', 'show_lock', 'follow', 'unfollow') AND NOT out_admin AND out_target_id <> out_user_id
    OR in_act IN ('follow', 'unfollow') AND out_target_name = 'default'
    -- Who may not read the repository may only stop following it.
    OR in_act = 'unfollow' AND out_level = 0 AND NOT out_is_follower
  THEN RETURN; END IF;
  IF in_act IN ('set_user_level', 'set_user_group_level', 'lock', 'follow')
    AND NOT keep_holder(of_user_group, out_target_id, out_repository_id)
  THEN
    out_target_id := NULL;
    RETURN;
  END IF;

  IF in_act = 'show_lock' THEN
    SELECT u.username, r.locked_at INTO out_locked_by, out_locked_at
      FROM repositories r JOIN users u ON u.id = r.locked_by_id WHERE r.id = out_repository_id;
    out_step := 'done';
    out_changed := false;
    RETURN;
  END IF;

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
    WHEN 'unfollow' THEN
      DELETE FROM followers f WHERE f.user_id = out_target_id AND f.repository_id = out_repository_id;
    WHEN 'record_state' THEN
      -- What was recorded since the read is newer than what was read.
      UPDATE repositories r SET generation = r.generation + 1,
          last_changeset = CASE WHEN r.generation = in_read_generation THEN in_tip ELSE r.last_changeset END,
          default_branch = CASE WHEN r.generation = in_read_generation THEN in_default_branch ELSE r.default_branch END
        WHERE r.id = out_repository_id AND out_repository_id = in_read_id;
      IF NOT FOUND THEN
        UPDATE repositories r SET generation = r.generation + 1 WHERE r.id = out_repository_id;
      END IF;
  END CASE;
  out_changed := FOUND;
END $$;
--> statement-breakpoint
-- Sets or removes the level of a user or a user group on the repository group that the call names, for a caller who
-- administers it; `out_step` is as in `write_on_repository`, and `missing` also without the level.
CREATE FUNCTION "act_on_repo_group"(
  in_user_id integer, in_key_id integer, in_session_id integer, in_fingerprint text,
  in_networks text[], in_permissions text[],
  in_repo_group_id integer, in_repo_group_name text, in_former_id integer,
  in_act text, in_target_id integer, in_target_name text, in_level integer,
  in_request_id uuid, in_ip text, in_method text, in_args jsonb,
  in_is_brief boolean,
  OUT out_step text,
  OUT out_usable boolean, OUT out_user_id integer, OUT out_username text, OUT out_admin boolean, OUT out_limited_to text,
  OUT out_networks text[], OUT out_permissions text[], OUT out_key_reaches boolean,
  OUT out_repo_group_id integer, OUT out_repo_group_name text, OUT out_level integer,
  OUT out_target_id integer, OUT out_target_name text, OUT out_changed boolean
) LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  suffices boolean;
  of_user_group constant boolean := in_act IN ('set_user_group_level', 'remove_user_group_level');
BEGIN
  IF in_is_brief THEN PERFORM set_config('lock_timeout', '100ms', true); END IF;
  FOR reading IN 1..2 LOOP
    SELECT r.usable, r.user_id, r.username, r.admin, r.limited_to, r.networks, r.permissions, r.key_reaches, r.suffices
      INTO out_usable, out_user_id, out_username, out_admin, out_limited_to, out_networks, out_permissions, out_key_reaches,
        suffices
      FROM caller_rights(in_user_id, in_key_id, in_session_id, in_fingerprint, NULL, NULL, in_networks, in_permissions, NULL) r;
    out_step := 'refused';
    IF suffices IS NOT TRUE THEN RETURN; END IF;
    SELECT l.repo_group_id, l.repo_group_name, l.level INTO out_repo_group_id, out_repo_group_name, out_level
      FROM level_on_repo_group(out_user_id, in_repo_group_id, in_repo_group_name) l;
    out_step := 'missing';
    IF out_level IS DISTINCT FROM 4 OR out_repo_group_id <> in_former_id THEN RETURN; END IF;
    in_former_id := out_repo_group_id;
    IF reading = 1 AND NOT lock_repo_group(out_repo_group_id, in_repo_group_name) THEN RETURN; END IF;
  END LOOP;

  IF of_user_group THEN
    SELECT g.id, g.name INTO out_target_id, out_target_name FROM user_groups g
      WHERE g.id = coalesce(in_target_id, (SELECT n.id FROM user_groups n WHERE n.name = in_target_name));
  ELSE
    SELECT u.id, u.username INTO out_target_id, out_target_name FROM users u
      WHERE u.id = coalesce(in_target_id, (SELECT n.id FROM users n WHERE n.username = in_target_name));
  END IF;
  out_step := 'unfit';
  IF out_target_id IS NULL OR in_act IN ('set_user_level', 'set_user_group_level') AND in_level IS NULL THEN RETURN; END IF;
  IF in_act IN ('set_user_level', 'set_user_group_level')
    AND NOT keep_holder(of_user_group, out_target_id, out_repo_group_id)
  THEN
    out_target_id := NULL;
    RETURN;
  END IF;

  out_step := 'repeated';
  IF NOT record_write(in_request_id, out_user_id, out_username, in_ip, in_method, in_args, NULL) THEN RETURN; END IF;

  out_step := 'done';
  CASE in_act
    WHEN 'set_user_level' THEN
      INSERT INTO user_repo_group_permissions (user_id, repo_group_id, level)
        VALUES (out_target_id, out_repo_group_id, in_level)
        ON CONFLICT (user_id, repo_group_id) DO UPDATE SET level = excluded.level;
    WHEN 'remove_user_level' THEN
      DELETE FROM user_repo_group_permissions p WHERE p.user_id = out_target_id AND p.repo_group_id = out_repo_group_id;
    WHEN 'set_user_group_level' THEN
      INSERT INTO user_group_repo_group_permissions (user_group_id, repo_group_id, level)
        VALUES (out_target_id, out_repo_group_id, in_level)
        ON CONFLICT (user_group_id, repo_group_id) DO UPDATE SET level = excluded.level;
    WHEN 'remove_user_group_level' THEN
      DELETE FROM user_group_repo_group_permissions p
        WHERE p.user_group_id = out_target_id AND p.repo_group_id = out_repo_group_id;
  END CASE;
  out_changed := FOUND;
END $$;
--> statement-breakpoint
-- Creates or revokes an API key of the caller or, for an administrator, of any user; `out_step` is as in
-- `write_on_repository`.
CREATE FUNCTION "act_on_api_key"(
  in_user_id integer, in_key_id integer, in_session_id integer, in_fingerprint text,
  in_networks text[], in_permissions text[],
  in_act text, in_target_id integer, in_target_name text,
  in_revoked_id integer,
  in_description text, in_minutes integer, in_limited_to text, in_hmac bytea, in_sealed bytea, in_secret_id text,
  in_request_id uuid, in_ip text, in_method text, in_args jsonb,
  in_is_brief boolean,
  OUT out_step text,
  OUT out_usable boolean, OUT out_user_id integer, OUT out_username text, OUT out_admin boolean, OUT out_limited_to text,
  OUT out_networks text[], OUT out_permissions text[], OUT out_key_reaches boolean,
  OUT out_target_id integer, OUT out_target_name text, OUT out_changed boolean,
  OUT out_new_id integer, OUT out_created_at timestamptz, OUT out_expires_at timestamptz, OUT out_is_builtin boolean
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
  IF in_act = 'revoke' THEN
    out_is_builtin := EXISTS (
      SELECT FROM api_keys k WHERE k.id = in_revoked_id AND k.user_id = out_target_id AND k.builtin);
  END IF;
  out_step := 'unfit';
  IF out_target_id IS NULL OR NOT out_admin AND out_target_id <> out_user_id OR out_target_name = 'default'
    OR out_is_builtin
  THEN RETURN; END IF;

  out_step := 'repeated';
  IF NOT record_write(in_request_id, out_user_id, out_username, in_ip, in_method, in_args, NULL) THEN RETURN; END IF;

  out_step := 'done';
  CASE in_act
    WHEN 'create' THEN
      INSERT INTO api_keys (user_id, description, expires_at, limited_to, mac, sealed, secret_id)
        VALUES (out_target_id, in_description, now() + make_interval(mins => in_minutes), in_limited_to, in_hmac, in_sealed,
          in_secret_id)
        RETURNING api_keys.id, api_keys.created_at, api_keys.expires_at INTO out_new_id, out_created_at, out_expires_at;
    WHEN 'revoke' THEN
      -- A key never becomes a built-in one.
      DELETE FROM api_keys k WHERE k.id = in_revoked_id AND k.user_id = out_target_id AND NOT k.builtin;
  END CASE;
  out_changed := FOUND;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "level_on_repo_group", "lock_repo_group", "keep_holder", "act_on_repository", "act_on_repo_group",
  "act_on_api_key" FROM PUBLIC;
