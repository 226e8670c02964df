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
CREATE INDEX "deleted_repositories_deleted_at_repository_id_index" ON "deleted_repositories" USING btree ("deleted_at","repository_id");--> statement-breakpoint
CREATE INDEX "deleted_repositories_storage_id_operation_id_index" ON "deleted_repositories" USING btree ("storage_id","operation_id");--> statement-breakpoint
CREATE INDEX "deleted_repositories_clone_uri_secret" ON "deleted_repositories" USING btree ("clone_uri_secret_id") WHERE clone_uri_sealed is not null;