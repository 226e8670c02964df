-- Writes in one round trip, as in 0035. Those that take something away lock what they remove, and no longer the row of the
-- user or user group: a revocation does not need that row to stay. Names are those of after the last wait.

-- Locks what an act removes from a repository or a repository group, if it is there. A deletion does the same, but it would
-- wait after the rights were read, and its error would not tell on which object the call is to be tried again.
CREATE FUNCTION "lock_removed_row"(in_table text, in_holder_id integer, in_object_id integer) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  waited_for text;
BEGIN
  -- At first without waiting: only a wait needs the handler below, and with it a transaction within this one.
  CASE in_table
    WHEN 'followers' THEN
      PERFORM FROM followers f WHERE f.user_id = in_holder_id AND f.repository_id = in_object_id
        FOR UPDATE SKIP LOCKED;
    WHEN 'user_repository_permissions' THEN
      PERFORM FROM user_repository_permissions p WHERE p.user_id = in_holder_id AND p.repository_id = in_object_id
        FOR UPDATE SKIP LOCKED;
    WHEN 'user_group_repository_permissions' THEN
      PERFORM FROM user_group_repository_permissions p WHERE p.user_group_id = in_holder_id AND p.repository_id = in_object_id
        FOR UPDATE SKIP LOCKED;
    WHEN 'user_repo_group_permissions' THEN
      PERFORM FROM user_repo_group_permissions p WHERE p.user_id = in_holder_id AND p.repo_group_id = in_object_id
        FOR UPDATE SKIP LOCKED;
    WHEN 'user_group_repo_group_permissions' THEN
      PERFORM FROM user_group_repo_group_permissions p WHERE p.user_group_id = in_holder_id AND p.repo_group_id = in_object_id
        FOR UPDATE SKIP LOCKED;
  END CASE;
  IF FOUND THEN RETURN; END IF;
  BEGIN
    CASE in_table
      WHEN 'followers' THEN
        PERFORM FROM followers f WHERE f.user_id = in_holder_id AND f.repository_id = in_object_id
          FOR UPDATE;
      WHEN 'user_repository_permissions' THEN
        PERFORM FROM user_repository_permissions p WHERE p.user_id = in_holder_id AND p.repository_id = in_object_id
          FOR UPDATE;
      WHEN 'user_group_repository_permissions' THEN
        PERFORM FROM user_group_repository_permissions p WHERE p.user_group_id = in_holder_id AND p.repository_id = in_object_id
          FOR UPDATE;
      WHEN 'user_repo_group_permissions' THEN
        PERFORM FROM user_repo_group_permissions p WHERE p.user_id = in_holder_id AND p.repo_group_id = in_object_id
          FOR UPDATE;
      WHEN 'user_group_repo_group_permissions' THEN
        PERFORM FROM user_group_repo_group_permissions p WHERE p.user_group_id = in_holder_id AND p.repo_group_id = in_object_id
          FOR UPDATE;
    END CASE;
  EXCEPTION WHEN lock_not_available THEN
    GET STACKED DIAGNOSTICS waited_for = PG_EXCEPTION_CONTEXT;
    RAISE lock_not_available USING MESSAGE = 'the row that a call removes is locked', DETAIL = in_object_id,
      HINT = waited_for;
  END;
END $$;
--> statement-breakpoint
-- Takes the part of `change_repository`.
CREATE FUNCTION "perform_on_repository"(
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
  sets_level constant boolean := in_act IN ('set_user_level', 'set_user_group_level');
  adds constant boolean := in_act IN ('set_user_level', 'set_user_group_level', 'lock', 'follow');
  removes_from constant text := CASE in_act
    WHEN 'remove_user_level' THEN 'user_repository_permissions'
    WHEN 'remove_user_group_level' THEN 'user_group_repository_permissions'
    WHEN 'unfollow' THEN 'followers'
  END;
BEGIN
  IF in_is_brief THEN PERFORM set_config('lock_timeout', '100ms', true); END IF;
  -- Before the locks, so that nobody without the right locks a row; and under both, since rights may be gone after a wait.
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
    IF reading = 1 THEN
      -- What `unfollow` removes depends on nothing that the lock protects.
      IF in_act <> 'unfollow'
        AND NOT lock_ready_repository(out_repository_id, in_repository_name, in_act IN ('follow', 'show_lock'))
      THEN
        RETURN;
      END IF;
      -- From then on by the id: the name may pass to another one meanwhile, whom nothing keeps.
      IF of_user_group THEN
        in_target_id := coalesce(in_target_id, (SELECT n.id FROM user_groups n WHERE n.name = in_target_name));
      ELSE
        in_target_id := coalesce(in_target_id, (SELECT n.id FROM users n WHERE n.username = in_target_name));
      END IF;
    END IF;
    IF of_user_group THEN
      SELECT g.id, g.name INTO out_target_id, out_target_name FROM user_groups g WHERE g.id = in_target_id;
    ELSE
      SELECT u.id, u.username INTO out_target_id, out_target_name FROM users u WHERE u.id = in_target_id;
    END IF;
    -- A call that will be refused for its target locks nothing: the caller has no business with that row.
    IF reading = 1 AND out_target_id IS NOT NULL
      AND (of_user_group OR in_act NOT IN ('lock', 'follow', 'unfollow') OR out_admin OR out_target_id = out_user_id)
      AND NOT (sets_level AND in_level IS NULL)
      AND NOT (in_act IN ('follow', 'unfollow') AND out_target_name = 'default')
    THEN
      -- The second reading finds no target that was removed.
      IF adds THEN PERFORM keep_holder(of_user_group, out_target_id, out_repository_id); END IF;
      IF removes_from IS NOT NULL THEN
        PERFORM lock_removed_row(removes_from, out_target_id, out_repository_id);
      END IF;
    END IF;
  END LOOP;

  IF in_act = 'unfollow' THEN
    out_is_follower := EXISTS (SELECT FROM followers f WHERE f.user_id = out_user_id AND f.repository_id = out_repository_id);
  END IF;
  out_step := 'unfit';
  IF out_target_id IS NULL
    OR sets_level AND in_level IS NULL
    OR in_act IN ('lock', 'unlock', 'show_lock', 'follow', 'unfollow') AND NOT out_admin AND out_target_id <> out_user_id
    OR in_act IN ('follow', 'unfollow') AND out_target_name = 'default'
    -- Who may not read the repository may only stop following it.
    OR in_act = 'unfollow' AND out_level = 0 AND NOT out_is_follower
  THEN RETURN; END IF;

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
-- Takes the part of `change_repo_group`.
CREATE FUNCTION "perform_on_repo_group"(
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
  removes_from constant text := CASE in_act
    WHEN 'remove_user_level' THEN 'user_repo_group_permissions'
    WHEN 'remove_user_group_level' THEN 'user_group_repo_group_permissions'
  END;
  lacks_level constant boolean := in_act IN ('set_user_level', 'set_user_group_level') AND in_level IS NULL;
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
    IF reading = 1 THEN
      IF NOT lock_repo_group(out_repo_group_id, in_repo_group_name) THEN RETURN; END IF;
      IF of_user_group THEN
        in_target_id := coalesce(in_target_id, (SELECT n.id FROM user_groups n WHERE n.name = in_target_name));
      ELSE
        in_target_id := coalesce(in_target_id, (SELECT n.id FROM users n WHERE n.username = in_target_name));
      END IF;
    END IF;
    IF of_user_group THEN
      SELECT g.id, g.name INTO out_target_id, out_target_name FROM user_groups g WHERE g.id = in_target_id;
    ELSE
      SELECT u.id, u.username INTO out_target_id, out_target_name FROM users u WHERE u.id = in_target_id;
    END IF;
    IF reading = 1 AND out_target_id IS NOT NULL AND NOT lacks_level THEN
      IF removes_from IS NULL THEN PERFORM keep_holder(of_user_group, out_target_id, out_repo_group_id);
      ELSE PERFORM lock_removed_row(removes_from, out_target_id, out_repo_group_id);
      END IF;
    END IF;
  END LOOP;

  out_step := 'unfit';
  IF out_target_id IS NULL OR lacks_level THEN RETURN; END IF;

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
-- Takes the part of `change_api_key`.
CREATE FUNCTION "perform_on_api_key"(
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
  FOR reading IN 1..2 LOOP
    SELECT r.usable, r.user_id, r.username, r.admin, r.limited_to, r.networks, r.permissions, r.key_reaches, r.suffices
      INTO out_usable, out_user_id, out_username, out_admin, out_limited_to, out_networks, out_permissions, out_key_reaches,
        suffices
      FROM caller_rights(in_user_id, in_key_id, in_session_id, in_fingerprint, NULL, NULL, in_networks, in_permissions, NULL) r;
    out_step := 'refused';
    IF suffices IS NOT TRUE THEN RETURN; END IF;

    IF reading = 1 THEN
      in_target_id := coalesce(in_target_id, (SELECT n.id FROM users n WHERE n.username = in_target_name));
    END IF;
    SELECT u.id, u.username INTO out_target_id, out_target_name FROM users u WHERE u.id = in_target_id;
    IF in_act = 'revoke' THEN
      out_is_builtin := EXISTS (
        SELECT FROM api_keys k WHERE k.id = in_revoked_id AND k.user_id = out_target_id AND k.builtin);
    END IF;
    out_step := 'unfit';
    IF out_target_id IS NULL OR NOT out_admin AND out_target_id <> out_user_id OR out_target_name = 'default'
      OR out_is_builtin
    THEN RETURN; END IF;
    IF reading = 1 THEN
      IF in_act = 'revoke' THEN
        PERFORM FROM api_keys k WHERE k.id = in_revoked_id AND k.user_id = out_target_id FOR UPDATE;
      ELSE
        PERFORM keep_holder(false, out_target_id, out_target_id);
      END IF;
    END IF;
  END LOOP;

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
-- Takes the part of `change_holder`.
CREATE FUNCTION "perform_on_holder"(
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
  is_fit boolean;
  meant_user_id integer;
  meant_group_id integer;
BEGIN
  IF in_is_brief THEN PERFORM set_config('lock_timeout', '100ms', true); END IF;
  FOR reading IN 1..2 LOOP
    SELECT r.usable, r.user_id, r.username, r.admin, r.limited_to, r.networks, r.permissions, r.key_reaches, r.suffices
      INTO out_usable, out_user_id, out_username, out_admin, out_limited_to, out_networks, out_permissions, out_key_reaches,
        suffices
      FROM caller_rights(in_user_id, in_key_id, in_session_id, in_fingerprint, NULL, NULL, in_networks, in_permissions, NULL) r;
    out_step := 'refused';
    IF suffices IS NOT TRUE THEN RETURN; END IF;

    IF reading = 1 THEN
      meant_user_id := coalesce(in_target_id, (SELECT n.id FROM users n WHERE n.username = in_target_name));
      meant_group_id := coalesce(in_group_id, (SELECT n.id FROM user_groups n WHERE n.name = in_group_name));
    END IF;
    SELECT u.id, u.username INTO out_target_id, out_target_name FROM users u WHERE u.id = meant_user_id;
    SELECT g.id, g.name INTO out_group_id, out_group_name FROM user_groups g WHERE g.id = meant_group_id;
    is_fit := CASE
      WHEN in_act IN ('add_member', 'remove_member') THEN num_nonnulls(out_target_id, out_group_id) = 2
      ELSE in_permission IS NOT NULL AND num_nonnulls(out_target_id, out_group_id) = 1
        AND num_nonnulls(in_target_id, in_target_name, in_group_id, in_group_name) = 1
    END;
    IF is_fit AND reading = 1 THEN
      CASE
        WHEN in_act = 'remove_member' THEN
          PERFORM FROM user_group_members m WHERE m.user_id = out_target_id AND m.user_group_id = out_group_id FOR UPDATE;
        WHEN in_act = 'revoke' AND out_group_id IS NULL THEN
          PERFORM FROM user_global_permissions p WHERE p.user_id = out_target_id AND p.permission = in_permission
            FOR UPDATE;
        WHEN in_act = 'revoke' THEN
          PERFORM FROM user_group_global_permissions p WHERE p.user_group_id = out_group_id AND p.permission = in_permission
            FOR UPDATE;
        ELSE
          IF out_target_id IS NOT NULL THEN PERFORM keep_holder(false, out_target_id, out_target_id); END IF;
          IF out_group_id IS NOT NULL THEN PERFORM keep_holder(true, out_group_id, out_group_id); END IF;
      END CASE;
    END IF;
  END LOOP;

  out_step := 'unfit';
  IF NOT is_fit THEN RETURN; END IF;

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
REVOKE ALL ON FUNCTION "lock_removed_row", "perform_on_repository", "perform_on_repo_group", "perform_on_api_key",
  "perform_on_holder" FROM PUBLIC;
