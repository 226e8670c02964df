CREATE INDEX "user_repository_permissions_granted" ON "user_repository_permissions" USING btree ("user_id","repository_id") WHERE level > 0;--> statement-breakpoint
CREATE INDEX "repositories_owner_id_id_index" ON "repositories" USING btree ("owner_id","id");--> statement-breakpoint
CREATE INDEX "repositories_locked" ON "repositories" USING btree ("id") WHERE locked_at is not null;--> statement-breakpoint
CREATE INDEX "repositories_locked_by" ON "repositories" USING btree ("locked_by_id","id") WHERE locked_by_id is not null;