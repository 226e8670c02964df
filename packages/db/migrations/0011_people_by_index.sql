DROP INDEX "user_group_repo_group_permissions_repo_group_id_index";--> statement-breakpoint
DROP INDEX "user_group_repository_permissions_repository_id_index";--> statement-breakpoint
DROP INDEX "user_repo_group_permissions_repo_group_id_index";--> statement-breakpoint
DROP INDEX "user_repository_permissions_repository_id_index";--> statement-breakpoint
DROP INDEX "followers_repository_id_index";--> statement-breakpoint
CREATE INDEX "user_group_repo_group_permissions_by_repo_group" ON "user_group_repo_group_permissions" USING btree ("repo_group_id","user_group_id");--> statement-breakpoint
CREATE INDEX "user_group_repository_permissions_by_repository" ON "user_group_repository_permissions" USING btree ("repository_id","user_group_id");--> statement-breakpoint
CREATE INDEX "user_repo_group_permissions_by_repo_group" ON "user_repo_group_permissions" USING btree ("repo_group_id","user_id");--> statement-breakpoint
CREATE INDEX "user_repository_permissions_by_repository" ON "user_repository_permissions" USING btree ("repository_id","user_id");--> statement-breakpoint
CREATE INDEX "followers_repository_id_user_id_index" ON "followers" USING btree ("repository_id","user_id");