DROP INDEX "repositories_group_id_index";--> statement-breakpoint
CREATE INDEX "repositories_group_id_name_index" ON "repositories" USING btree ("group_id","name");--> statement-breakpoint
CREATE INDEX "repositories_owner_id_name_index" ON "repositories" USING btree ("owner_id","name");