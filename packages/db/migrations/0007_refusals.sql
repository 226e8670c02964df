CREATE TABLE "counted_refusals" (
	"request_id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"actor_id" integer NOT NULL,
	"method" text NOT NULL,
	"error" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refusal_counts" (
	"actor_id" integer PRIMARY KEY NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"count" integer NOT NULL,
	"counted_in" uuid
);
--> statement-breakpoint
CREATE INDEX "counted_refusals_at_index" ON "counted_refusals" USING btree ("at");--> statement-breakpoint
CREATE INDEX "refusal_counts_since_index" ON "refusal_counts" USING btree ("since");