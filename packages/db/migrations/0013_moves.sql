-- Tables are locked in the order of all transactions: operations, storages.
CREATE TABLE "repository_copies" (
	"storage_id" uuid NOT NULL,
	"storage_path" text NOT NULL,
	"repository_id" integer NOT NULL,
	"role" text NOT NULL,
	"operation_id" uuid NOT NULL,
	"epoch" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "repository_copies_storage_id_storage_path_pk" PRIMARY KEY("storage_id","storage_path"),
	CONSTRAINT "repository_copies_role" CHECK ("repository_copies"."role" in ('arriving', 'leaving'))
);
--> statement-breakpoint
DROP INDEX "operations_one_running";--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "target_storage_id" uuid;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "exclusive" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "storages" ADD COLUMN "drained_by_id" integer;--> statement-breakpoint
ALTER TABLE "repository_copies" ADD CONSTRAINT "repository_copies_storage_id_storages_id_fk" FOREIGN KEY ("storage_id") REFERENCES "public"."storages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "repository_copies_repository_id_index" ON "repository_copies" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "repository_copies_operation_id_index" ON "repository_copies" USING btree ("operation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "operations_one_move" ON "operations" USING btree ("repository_id") WHERE state = 'running' and kind = 'move';--> statement-breakpoint
CREATE UNIQUE INDEX "operations_one_running" ON "operations" USING btree ("repository_id") WHERE state = 'running' and exclusive;