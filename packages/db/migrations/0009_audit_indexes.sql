CREATE TABLE "failed_starts" (
	"request_id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"actor_id" integer NOT NULL
);
--> statement-breakpoint
INSERT INTO "failed_starts" ("request_id", "at", "actor_id")
	SELECT "request_id", "at", "actor_id" FROM "audit_log"
	WHERE outcome <> 'succeeded' AND "outcome" = 'failed' AND "repository_id" IS NULL
		AND "method" IN ('create_repo', 'delete_repo', 'fork_repo', 'pull', 'rescan_repos');--> statement-breakpoint
DROP INDEX "audit_log_method_id_index";--> statement-breakpoint
DROP INDEX "audit_log_repository_id_id_index";--> statement-breakpoint
DROP INDEX "audit_log_at_index";--> statement-breakpoint
DROP INDEX "audit_log_not_succeeded";--> statement-breakpoint
CREATE INDEX "failed_starts_at_request_id_index" ON "failed_starts" USING btree ("at","request_id");--> statement-breakpoint
CREATE INDEX "failed_starts_actor_id_at_request_id_index" ON "failed_starts" USING btree ("actor_id","at","request_id");--> statement-breakpoint
CREATE INDEX "audit_log_of_repository" ON "audit_log" USING btree ("repository_id","id") WHERE repository_id is not null;--> statement-breakpoint
CREATE INDEX "audit_log_method_outcome_id_index" ON "audit_log" USING btree ("method","outcome","id");