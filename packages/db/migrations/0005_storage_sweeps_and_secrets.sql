ALTER TABLE "repositories" ADD COLUMN "clone_uri_secret_id" text;--> statement-breakpoint
ALTER TABLE "storages" ADD COLUMN "swept_by" uuid;--> statement-breakpoint
ALTER TABLE "storages" ADD COLUMN "sweep_lease_until" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "repositories_clone_uri_secret" ON "repositories" USING btree ("clone_uri_secret_id") WHERE clone_uri_sealed is not null;