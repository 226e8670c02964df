CREATE TABLE "imported_objects" (
	"source" text NOT NULL,
	"kind" text NOT NULL,
	"source_id" integer NOT NULL,
	"object_id" integer NOT NULL,
	"parts" jsonb NOT NULL,
	"imported_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "imported_objects_source_kind_source_id_pk" PRIMARY KEY("source","kind","source_id")
);
--> statement-breakpoint
CREATE INDEX "users_foreign_password" ON "users" USING btree ("id") WHERE password_hash not like '$argon2%';--> statement-breakpoint
-- Replaces the password hash of another program, which an import has taken on as it is, by one of argon2id. It runs as the
-- owner of the table: gateways, which alone may call it, have no right to change any other password.
CREATE FUNCTION "upgrade_password_hash"(in_user_id integer, in_former text, in_hash text) RETURNS text
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE users SET password_hash = in_hash
  WHERE id = in_user_id AND password_hash = in_former AND active
    AND in_former NOT LIKE '$argon2%' AND in_hash LIKE '$argon2id$%'
  RETURNING encode(sha256(convert_to(concat(password_hash, ' ', ldap_dn), 'UTF8')), 'hex');
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "upgrade_password_hash" FROM PUBLIC;
