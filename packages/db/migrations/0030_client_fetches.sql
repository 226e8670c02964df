CREATE TABLE "client_fetches" (
	"id" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"period" integer NOT NULL,
	"actor_id" integer NOT NULL,
	"actor" text NOT NULL,
	"repository_id" integer NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "client_fetches_of_period" UNIQUE("period","repository_id","actor_id")
);
--> statement-breakpoint
CREATE INDEX "client_fetches_repository_id_id_index" ON "client_fetches" USING btree ("repository_id","id");--> statement-breakpoint
-- Adds to the counts of the present ten minutes. Runs as its owner: a worker has no right to change counts otherwise, nor
-- one on the sequence of the audit log, whose numbers put activity in one order.
CREATE FUNCTION "record_client_fetches"(in_user_ids integer[], in_repository_ids integer[], in_counts integer[])
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO client_fetches AS f (id, period, actor_id, actor, repository_id, count)
  SELECT nextval('audit_log_id_seq'), floor(extract(epoch from now()) / 600)::int, u.id, u.username, r.id, c.count
  FROM unnest(in_user_ids, in_repository_ids, in_counts) c (user_id, repository_id, count)
  JOIN users u ON u.id = c.user_id
  JOIN repositories r ON r.id = c.repository_id
  -- Workers that add to the same rows lock them in the same order.
  ORDER BY r.id, u.id
  ON CONFLICT (period, repository_id, actor_id) DO UPDATE SET count = f.count + excluded.count
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "record_client_fetches" FROM PUBLIC;
