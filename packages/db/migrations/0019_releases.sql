-- Release 0.1.0 refuses a database when this table lists a migration that it does not know: later ones are listed in
-- drizzle.migrations alone. In a new database it lists none so far, and 0.1.0 would begin with the first.
INSERT INTO "drizzle"."__drizzle_migrations" ("hash", "created_at")
SELECT "hash", "created_at" FROM "drizzle"."migrations"
WHERE NOT EXISTS (SELECT FROM "drizzle"."__drizzle_migrations") ORDER BY "id";
