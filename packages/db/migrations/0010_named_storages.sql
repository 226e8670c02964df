-- Tables are locked in the order of all transactions: repositories, operations, storages.
ALTER TABLE "repositories" ADD COLUMN "epoch" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "size_bytes" bigint;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_stored_at" UNIQUE("storage_id","storage_path");--> statement-breakpoint
ALTER TABLE "repositories" DROP CONSTRAINT "repositories_storage_path_unique";--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "storage_id" uuid;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "epoch" bigint;--> statement-breakpoint
-- Only running operations are looked up by their storage.
UPDATE "operations" SET "storage_id" = "repositories"."storage_id", "epoch" = 1
  FROM "repositories" WHERE "repositories"."id" = "operations"."repository_id" AND "operations"."state" = 'running';--> statement-breakpoint
CREATE INDEX "operations_unfinished_of_storage" ON "operations" USING btree ("storage_id","created_at") WHERE state = 'running';--> statement-breakpoint
DROP INDEX "operations_unfinished";--> statement-breakpoint
-- An instance has had one storage so far.
ALTER TABLE "storages" ADD COLUMN "name" text collate "C";--> statement-breakpoint
UPDATE "storages" SET "name" = 'default';--> statement-breakpoint
ALTER TABLE "storages" ALTER COLUMN "name" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "storages" ADD COLUMN "state" text DEFAULT 'active' NOT NULL;--> statement-breakpoint
ALTER TABLE "storages" ADD COLUMN "weight" integer DEFAULT 100 NOT NULL;--> statement-breakpoint
ALTER TABLE "storages" ADD COLUMN "capacity_bytes" bigint;--> statement-breakpoint
ALTER TABLE "storages" ADD COLUMN "free_bytes" bigint;--> statement-breakpoint
ALTER TABLE "storages" ADD COLUMN "seen_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "storages" ADD CONSTRAINT "storages_name_unique" UNIQUE("name");--> statement-breakpoint
ALTER TABLE "storages" ADD CONSTRAINT "storages_name" CHECK ("storages"."name" ~ '^[a-z0-9-]{1,32}$');--> statement-breakpoint
ALTER TABLE "storages" ADD CONSTRAINT "storages_state" CHECK ("storages"."state" in ('active', 'draining', 'read-only', 'offline', 'lost'));--> statement-breakpoint
ALTER TABLE "storages" ADD CONSTRAINT "storages_weight" CHECK ("storages"."weight" between 1 and 10000);
