CREATE TABLE "operations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"repository_id" integer NOT NULL,
	"source_repository_id" integer,
	"actor_id" integer,
	"request" jsonb NOT NULL,
	"state" text NOT NULL,
	"worker" text,
	"lease_until" timestamp with time zone,
	"attempt" integer DEFAULT 0 NOT NULL,
	"progress" jsonb,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "operations_state" CHECK ("operations"."state" in ('queued', 'running', 'done', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "user_global_permissions" (
	"user_id" integer NOT NULL,
	"permission" text NOT NULL,
	CONSTRAINT "user_global_permissions_user_id_permission_pk" PRIMARY KEY("user_id","permission")
);
--> statement-breakpoint
CREATE TABLE "user_group_global_permissions" (
	"user_group_id" integer NOT NULL,
	"permission" text NOT NULL,
	CONSTRAINT "user_group_global_permissions_user_group_id_permission_pk" PRIMARY KEY("user_group_id","permission")
);
--> statement-breakpoint
CREATE TABLE "user_group_repo_group_permissions" (
	"user_group_id" integer NOT NULL,
	"repo_group_id" integer NOT NULL,
	"level" smallint NOT NULL,
	"granted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_group_repo_group_permissions_user_group_id_repo_group_id_pk" PRIMARY KEY("user_group_id","repo_group_id")
);
--> statement-breakpoint
CREATE TABLE "user_group_repository_permissions" (
	"user_group_id" integer NOT NULL,
	"repository_id" integer NOT NULL,
	"level" smallint NOT NULL,
	"granted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_group_repository_permissions_user_group_id_repository_id_pk" PRIMARY KEY("user_group_id","repository_id")
);
--> statement-breakpoint
CREATE TABLE "user_repo_group_permissions" (
	"user_id" integer NOT NULL,
	"repo_group_id" integer NOT NULL,
	"level" smallint NOT NULL,
	"granted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_repo_group_permissions_user_id_repo_group_id_pk" PRIMARY KEY("user_id","repo_group_id")
);
--> statement-breakpoint
CREATE TABLE "user_repository_permissions" (
	"user_id" integer NOT NULL,
	"repository_id" integer NOT NULL,
	"level" smallint NOT NULL,
	"granted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_repository_permissions_user_id_repository_id_pk" PRIMARY KEY("user_id","repository_id")
);
--> statement-breakpoint
CREATE TABLE "followers" (
	"user_id" integer NOT NULL,
	"repository_id" integer NOT NULL,
	"followed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "followers_user_id_repository_id_pk" PRIMARY KEY("user_id","repository_id")
);
--> statement-breakpoint
CREATE TABLE "names" (
	"path" text collate "C" PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	CONSTRAINT "names_kind" CHECK ("names"."kind" in ('repository', 'group'))
);
--> statement-breakpoint
CREATE TABLE "repo_groups" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "repo_groups_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text collate "C" NOT NULL,
	"parent_id" integer,
	"description" text DEFAULT '' NOT NULL,
	"owner_id" integer NOT NULL,
	"enable_locking" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "repo_groups_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "repositories" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "repositories_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"uuid" uuid NOT NULL,
	"name" text collate "C" NOT NULL,
	"group_id" integer,
	"type" text NOT NULL,
	"state" text NOT NULL,
	"storage_id" uuid NOT NULL,
	"storage_path" text NOT NULL,
	"private" boolean NOT NULL,
	"description" text NOT NULL,
	"owner_id" integer NOT NULL,
	"clone_uri" text,
	"clone_uri_sealed" "bytea",
	"landing_rev" text NOT NULL,
	"enable_downloads" boolean NOT NULL,
	"enable_locking" boolean NOT NULL,
	"enable_statistics" boolean NOT NULL,
	"fork_of_id" integer,
	"generation" bigint DEFAULT 1 NOT NULL,
	"last_changeset" jsonb,
	"needs_recovery" boolean DEFAULT false NOT NULL,
	"locked_by_id" integer,
	"locked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "repositories_uuid_unique" UNIQUE("uuid"),
	CONSTRAINT "repositories_name_unique" UNIQUE("name"),
	CONSTRAINT "repositories_storage_path_unique" UNIQUE("storage_path")
);
--> statement-breakpoint
CREATE TABLE "storages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_group_members" (
	"user_id" integer NOT NULL,
	"user_group_id" integer NOT NULL,
	"added_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_group_members_user_id_user_group_id_pk" PRIMARY KEY("user_id","user_group_id")
);
--> statement-breakpoint
CREATE TABLE "user_groups" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_groups_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text collate "C" NOT NULL,
	"name_key" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"owner_id" integer NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_groups_name_key_unique" UNIQUE("name_key")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "api_keys_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"builtin" boolean DEFAULT false NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"mac" "bytea" NOT NULL,
	"sealed" "bytea" NOT NULL,
	"secret_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_mac_unique" UNIQUE("mac")
);
--> statement-breakpoint
CREATE TABLE "user_emails" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_emails_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"email" text NOT NULL,
	"email_key" text NOT NULL,
	"is_primary" boolean DEFAULT false NOT NULL,
	CONSTRAINT "user_emails_email_key_unique" UNIQUE("email_key")
);
--> statement-breakpoint
CREATE TABLE "user_ip_addresses" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_ip_addresses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"ip_addr" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"username" text collate "C" NOT NULL,
	"username_key" text NOT NULL,
	"password_hash" text,
	"firstname" text,
	"lastname" text,
	"active" boolean DEFAULT true NOT NULL,
	"admin" boolean DEFAULT false NOT NULL,
	"ldap_dn" text,
	"extern_type" text,
	"extern_name" text,
	"last_login" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_username_key_unique" UNIQUE("username_key")
);
--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_source_repository_id_repositories_id_fk" FOREIGN KEY ("source_repository_id") REFERENCES "public"."repositories"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_actor_id_users_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_global_permissions" ADD CONSTRAINT "user_global_permissions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_global_permissions" ADD CONSTRAINT "user_group_global_permissions_user_group_id_user_groups_id_fk" FOREIGN KEY ("user_group_id") REFERENCES "public"."user_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_repo_group_permissions" ADD CONSTRAINT "user_group_repo_group_permissions_user_group_id_user_groups_id_fk" FOREIGN KEY ("user_group_id") REFERENCES "public"."user_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_repo_group_permissions" ADD CONSTRAINT "user_group_repo_group_permissions_repo_group_id_repo_groups_id_fk" FOREIGN KEY ("repo_group_id") REFERENCES "public"."repo_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_repository_permissions" ADD CONSTRAINT "user_group_repository_permissions_user_group_id_user_groups_id_fk" FOREIGN KEY ("user_group_id") REFERENCES "public"."user_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_repository_permissions" ADD CONSTRAINT "user_group_repository_permissions_repository_id_repositories_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repositories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_repo_group_permissions" ADD CONSTRAINT "user_repo_group_permissions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_repo_group_permissions" ADD CONSTRAINT "user_repo_group_permissions_repo_group_id_repo_groups_id_fk" FOREIGN KEY ("repo_group_id") REFERENCES "public"."repo_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_repository_permissions" ADD CONSTRAINT "user_repository_permissions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_repository_permissions" ADD CONSTRAINT "user_repository_permissions_repository_id_repositories_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repositories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "followers" ADD CONSTRAINT "followers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "followers" ADD CONSTRAINT "followers_repository_id_repositories_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repositories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repo_groups" ADD CONSTRAINT "repo_groups_name_names_path_fk" FOREIGN KEY ("name") REFERENCES "public"."names"("path") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "repo_groups" ADD CONSTRAINT "repo_groups_parent_id_repo_groups_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."repo_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repo_groups" ADD CONSTRAINT "repo_groups_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_name_names_path_fk" FOREIGN KEY ("name") REFERENCES "public"."names"("path") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_group_id_repo_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."repo_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_storage_id_storages_id_fk" FOREIGN KEY ("storage_id") REFERENCES "public"."storages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_fork_of_id_repositories_id_fk" FOREIGN KEY ("fork_of_id") REFERENCES "public"."repositories"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_locked_by_id_users_id_fk" FOREIGN KEY ("locked_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_members" ADD CONSTRAINT "user_group_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_members" ADD CONSTRAINT "user_group_members_user_group_id_user_groups_id_fk" FOREIGN KEY ("user_group_id") REFERENCES "public"."user_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_emails" ADD CONSTRAINT "user_emails_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_ip_addresses" ADD CONSTRAINT "user_ip_addresses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "operations_one_running" ON "operations" USING btree ("repository_id") WHERE state = 'running';--> statement-breakpoint
CREATE INDEX "operations_unfinished" ON "operations" USING btree ("created_at") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "operations_actor_id_index" ON "operations" USING btree ("actor_id");--> statement-breakpoint
CREATE INDEX "operations_source_repository_id_index" ON "operations" USING btree ("source_repository_id");--> statement-breakpoint
CREATE INDEX "user_group_repo_group_permissions_repo_group_id_index" ON "user_group_repo_group_permissions" USING btree ("repo_group_id");--> statement-breakpoint
CREATE INDEX "user_group_repository_permissions_repository_id_index" ON "user_group_repository_permissions" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "user_repo_group_permissions_repo_group_id_index" ON "user_repo_group_permissions" USING btree ("repo_group_id");--> statement-breakpoint
CREATE INDEX "user_repository_permissions_repository_id_index" ON "user_repository_permissions" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "followers_repository_id_index" ON "followers" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "repo_groups_parent_id_index" ON "repo_groups" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "repo_groups_owner_id_index" ON "repo_groups" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "repositories_owner_id_index" ON "repositories" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "repositories_fork_of_id_index" ON "repositories" USING btree ("fork_of_id");--> statement-breakpoint
CREATE INDEX "repositories_group_id_index" ON "repositories" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "user_group_members_user_group_id_index" ON "user_group_members" USING btree ("user_group_id");--> statement-breakpoint
CREATE INDEX "api_keys_user_id_index" ON "api_keys" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_one_builtin" ON "api_keys" USING btree ("user_id") WHERE builtin;--> statement-breakpoint
CREATE INDEX "user_emails_user_id_index" ON "user_emails" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "user_emails_one_primary" ON "user_emails" USING btree ("user_id") WHERE is_primary;--> statement-breakpoint
CREATE UNIQUE INDEX "user_ip_addresses_user_id_ip_addr_index" ON "user_ip_addresses" USING btree ("user_id","ip_addr");