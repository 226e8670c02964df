CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"request_id" uuid NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"actor_id" integer NOT NULL,
	"actor" text NOT NULL,
	"ip" text NOT NULL,
	"method" text NOT NULL,
	"args" jsonb NOT NULL,
	"outcome" text NOT NULL,
	"error" text,
	CONSTRAINT "audit_log_request_id_unique" UNIQUE("request_id"),
	CONSTRAINT "audit_log_outcome" CHECK ("audit_log"."outcome" in ('running', 'succeeded', 'failed'))
);
--> statement-breakpoint
ALTER TABLE "operations" DROP CONSTRAINT "operations_state";--> statement-breakpoint
ALTER TABLE "operations" DROP CONSTRAINT "operations_actor_id_users_id_fk";
--> statement-breakpoint
DROP INDEX "operations_actor_id_index";--> statement-breakpoint
DROP INDEX "operations_unfinished";--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "handovers" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "cancel_requested_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "audit_log_actor_id_id_index" ON "audit_log" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_method_id_index" ON "audit_log" USING btree ("method","id");--> statement-breakpoint
CREATE INDEX "audit_log_at_index" ON "audit_log" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_log_not_succeeded" ON "audit_log" USING btree ("id") WHERE outcome <> 'succeeded';--> statement-breakpoint
CREATE INDEX "operations_created_at_id_index" ON "operations" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "operations_actor_id_created_at_id_index" ON "operations" USING btree ("actor_id","created_at","id");--> statement-breakpoint
CREATE INDEX "operations_failed" ON "operations" USING btree ("created_at","id") WHERE state = 'failed';--> statement-breakpoint
CREATE INDEX "operations_finished_at_index" ON "operations" USING btree ("finished_at");--> statement-breakpoint
CREATE INDEX "operations_unfinished" ON "operations" USING btree ("created_at") WHERE state = 'running';--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_state" CHECK ("operations"."state" in ('running', 'done', 'failed'));