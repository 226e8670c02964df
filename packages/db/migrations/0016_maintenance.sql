-- Tables are locked in the order of all transactions: repositories, operations, storages.
ALTER TABLE "repositories" ADD COLUMN "removed_at_generation" bigint;--> statement-breakpoint
CREATE TABLE "repository_maintenance" (
	"repository_id" integer PRIMARY KEY NOT NULL,
	"changes" integer NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	"tried_at" timestamp with time zone,
	"searched_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "repository_maintenance" ADD CONSTRAINT "repository_maintenance_repository_id_repositories_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repositories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "repository_maintenance_due" ON "repository_maintenance" USING btree ("changed_at") WHERE changes > 0;--> statement-breakpoint
-- What earlier releases have written was never packed.
INSERT INTO "repository_maintenance" ("repository_id", "changes", "changed_at")
SELECT "id", 1, now() FROM "repositories" WHERE "last_changeset" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "operations_one_maintenance" ON "operations" USING btree ("repository_id") WHERE state = 'running' and kind = 'maintain';--> statement-breakpoint
ALTER TABLE "storages" ADD COLUMN "maintenance" boolean DEFAULT true NOT NULL;
