ALTER TABLE "audit_log" ADD COLUMN "repository_id" integer;--> statement-breakpoint
CREATE INDEX "audit_log_repository_id_id_index" ON "audit_log" USING btree ("repository_id","id");