ALTER TABLE "api_keys" ADD COLUMN "limited_to" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "repository_ids" integer[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_limited_to" CHECK ("api_keys"."limited_to" is null or "api_keys"."limited_to" in ('fetch', 'push') and not "api_keys"."builtin");--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_repository_ids" CHECK ("api_keys"."repository_ids" is null or "api_keys"."limited_to" is not null and cardinality("api_keys"."repository_ids") <= 50);