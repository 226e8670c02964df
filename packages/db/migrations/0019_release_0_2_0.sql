-- Release 0.1.0 refuses a database when this table lists a migration that it does not know: later ones are listed in
-- drizzle.migrations alone. In a new database it lists none so far, and 0.1.0 would begin with the first.
INSERT INTO "drizzle"."__drizzle_migrations" ("hash", "created_at")
SELECT "hash", "created_at" FROM "drizzle"."migrations"
WHERE NOT EXISTS (SELECT FROM "drizzle"."__drizzle_migrations") ORDER BY "id";
--> statement-breakpoint
CREATE TABLE "backups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"recorded_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "backups_kind" CHECK ("backups"."kind" in ('made', 'restored'))
);
--> statement-breakpoint
CREATE TABLE "client_fetches" (
	"id" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"period" integer NOT NULL,
	"actor_id" integer NOT NULL,
	"actor" text NOT NULL,
	"repository_id" integer NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "client_fetches_of_period" UNIQUE("period","repository_id","actor_id")
);
--> statement-breakpoint
CREATE TABLE "deleted_repositories" (
	"repository_id" integer PRIMARY KEY NOT NULL,
	"operation_id" uuid NOT NULL,
	"storage_id" uuid NOT NULL,
	"name" text collate "C" NOT NULL,
	"owner_id" integer NOT NULL,
	"deleted_by_id" integer,
	"deleted_at" timestamp with time zone NOT NULL,
	"size_bytes" bigint,
	"fork_of_id" integer,
	"fork_ids" integer[] NOT NULL,
	"clone_uri_sealed" "bytea",
	"clone_uri_secret_id" text,
	"document" jsonb NOT NULL,
	"restored_by" uuid,
	"kept_since" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deleted_repositories_operationId_unique" UNIQUE("operation_id")
);
--> statement-breakpoint
CREATE TABLE "imported_objects" (
	"source" text NOT NULL,
	"kind" text NOT NULL,
	"source_id" integer NOT NULL,
	"object_id" integer NOT NULL,
	"parts" jsonb NOT NULL,
	"imported_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "imported_objects_source_kind_source_id_pk" PRIMARY KEY("source","kind","source_id")
);
--> statement-breakpoint
CREATE TABLE "repository_verifications" (
	"repository_id" integer PRIMARY KEY NOT NULL,
	"verified_at" timestamp with time zone,
	"damaged" boolean DEFAULT false NOT NULL,
	"tried_at" timestamp with time zone,
	"requested_at" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "client_fetches_repository_id_id_index" ON "client_fetches" USING btree ("repository_id","id");
--> statement-breakpoint
CREATE INDEX "deleted_repositories_deleted_at_repository_id_index" ON "deleted_repositories" USING btree ("deleted_at","repository_id");
--> statement-breakpoint
CREATE INDEX "deleted_repositories_storage_id_operation_id_index" ON "deleted_repositories" USING btree ("storage_id","operation_id");
--> statement-breakpoint
CREATE INDEX "deleted_repositories_storage_id_deleted_at_repository_id_index" ON "deleted_repositories" USING btree ("storage_id","deleted_at","repository_id");
--> statement-breakpoint
CREATE INDEX "deleted_repositories_clone_uri_secret" ON "deleted_repositories" USING btree ("clone_uri_secret_id") WHERE clone_uri_sealed is not null;
--> statement-breakpoint
CREATE INDEX "repository_verifications_damaged" ON "repository_verifications" USING btree ("repository_id") WHERE damaged;
--> statement-breakpoint
CREATE INDEX "repository_verifications_requested" ON "repository_verifications" USING btree ("requested_at") WHERE requested_at is not null;
--> statement-breakpoint
-- Adds to the counts of the present ten minutes. Runs as its owner: a worker has no right to change counts otherwise, nor
-- one on the sequence of the audit log, whose numbers put activity in one order.
CREATE FUNCTION "record_client_fetches"(in_user_ids integer[], in_repository_ids integer[], in_counts integer[])
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO client_fetches AS f (id, period, actor_id, actor, repository_id, count)
  SELECT nextval('audit_log_id_seq'), floor(extract(epoch from now()) / 600)::int, u.id, u.username, r.id, c.count
  FROM unnest(in_user_ids, in_repository_ids, in_counts) c (user_id, repository_id, count)
  JOIN users u ON u.id = c.user_id
  JOIN repositories r ON r.id = c.repository_id
  -- Workers that add to the same rows lock them in the same order.
  ORDER BY r.id, u.id
  ON CONFLICT (period, repository_id, actor_id) DO UPDATE SET count = f.count + excluded.count
$$;
--> statement-breakpoint
-- Writes in one round trip: rights, row locks, rights again, act and record are statements of one function. Each of them
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
-- (by the rights), `missing` (the repository), `unfit` (target or value), `repeated` (the command was run before).
-- `show_lock` changes and records nothing. `record_state` records what was read of the bytes of a repository in a
-- generation, if it still has that one, and begins another.
CREATE FUNCTION "write_on_repository"(
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
-- Sets or removes the level of a user or a user group on the repository group that the call names, for a caller who
-- administers it; `out_step` is as in `write_on_repository`, and `missing` also without the level.
CREATE FUNCTION "write_on_repo_group"(
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
-- Creates or revokes an API key of the caller or, for an administrator, of any user; `out_step` is as in
-- `write_on_repository`.
CREATE FUNCTION "write_on_api_key"(
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
-- Does one act of a call on a user, a user group or both, which are missing when the call names none; `out_step` is as in
-- `write_on_repository`. What the caller may do is in the method's permissions alone.
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
REVOKE ALL ON FUNCTION "record_client_fetches", "caller_rights", "level_on_repo_group", "lock_ready_repository",
  "lock_repo_group", "keep_holder", "lock_removed_row", "record_write", "write_on_repository", "write_on_repo_group",
  "write_on_api_key", "write_on_holder" FROM PUBLIC;
--> statement-breakpoint
-- Tables of 0.1.0 are locked last, and those that most calls read at the very end.
CREATE INDEX "user_groups_name_index" ON "user_groups" USING btree ("name");
--> statement-breakpoint
CREATE INDEX "users_foreign_password" ON "users" USING btree ("id") WHERE password_hash not like '$argon2%';
--> statement-breakpoint
ALTER TABLE "repository_verifications" ADD CONSTRAINT "repository_verifications_repository_id_repositories_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repositories"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "repositories_forks" ON "repositories" USING btree ("fork_of_id","name") WHERE fork_of_id is not null;
--> statement-breakpoint
CREATE INDEX "repositories_group_id_name_index" ON "repositories" USING btree ("group_id","name");
--> statement-breakpoint
CREATE INDEX "repositories_owner_id_name_index" ON "repositories" USING btree ("owner_id","name");
--> statement-breakpoint
DROP INDEX "repositories_group_id_index";
