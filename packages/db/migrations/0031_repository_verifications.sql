CREATE TABLE "repository_verifications" (
	"repository_id" integer PRIMARY KEY NOT NULL,
	"verified_at" timestamp with time zone,
	"damaged" boolean DEFAULT false NOT NULL,
	"tried_at" timestamp with time zone,
	"requested_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "repository_verifications" ADD CONSTRAINT "repository_verifications_repository_id_repositories_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repositories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "repository_verifications_damaged" ON "repository_verifications" USING btree ("repository_id") WHERE damaged;--> statement-breakpoint
CREATE INDEX "repository_verifications_requested" ON "repository_verifications" USING btree ("requested_at") WHERE requested_at is not null;