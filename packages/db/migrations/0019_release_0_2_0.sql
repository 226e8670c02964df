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
REVOKE ALL ON FUNCTION "record_client_fetches" FROM PUBLIC;
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
