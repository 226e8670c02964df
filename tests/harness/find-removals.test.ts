import { describe, expect, it } from 'vitest';
import { findRemovals } from './find-removals.ts';

const found = (sql: string) => findRemovals([{ tag: '0001_x', sql }]).map(({ statement }) => statement);

describe('findRemovals', () => {
  it.each([
    'ALTER TABLE "users" ADD COLUMN "phone" text;',
    `ALTER TABLE "users" ADD COLUMN "kind" text DEFAULT 'drop table users;' NOT NULL;`,
    'ALTER TABLE "users" ADD COLUMN "name_key" text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL;',
    'CREATE INDEX "users_phone" ON "users" USING btree ("phone") WHERE phone is not null;',
    '-- The users\' phones.\nALTER TABLE "users" ALTER COLUMN "type" SET DEFAULT 1; -- It\'s new.',
    '-- ALTER TABLE "users" DROP COLUMN "phone";\n/* DROP TABLE "users"; */ UPDATE "users" SET "phone" = null;',
    'CREATE TABLE "new" ("id" integer PRIMARY KEY NOT NULL);--> statement-breakpoint\n' +
      'CREATE UNIQUE INDEX "new_id" ON "new" USING btree ("id");--> statement-breakpoint\n' +
      'ALTER TABLE "new" ADD CONSTRAINT "new_fk" FOREIGN KEY ("id") REFERENCES "users"("id");',
    'CREATE FUNCTION "forget"() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DELETE FROM users; DROP TABLE users; END $$;',
    'CREATE FUNCTION "forget"() RETURNS void LANGUAGE sql AS $body$ DELETE FROM users; $body$;',
  ])('lets migrations add: %s', (sql) => {
    expect(found(sql)).toEqual([]);
  });

  it.each([
    'DROP TABLE "users";',
    'drop index "users_phone";',
    'ALTER TABLE "users" DROP COLUMN "phone";',
    'ALTER TABLE "users" ADD COLUMN "phone" text, DROP COLUMN "mail";',
    'ALTER TABLE "users"\n  DROP CONSTRAINT "users_phone";',
    'ALTER TABLE "users" RENAME COLUMN "phone" TO "telephone";',
    'ALTER TABLE "public"."users" RENAME TO "people";',
    'ALTER TABLE "users" ALTER COLUMN "phone" SET DATA TYPE integer;',
    'ALTER TABLE "users" ALTER COLUMN "phone" SET NOT NULL;',
    'ALTER TABLE "users" ALTER COLUMN "phone" DROP NOT NULL;',
    'ALTER TABLE "users" ALTER COLUMN "phone" DROP DEFAULT;',
    'ALTER TABLE "users" ADD COLUMN "phone" text NOT NULL;',
    'ALTER TABLE "users" ADD COLUMN "a" text, ADD COLUMN "b" text NOT NULL;',
    'ALTER TABLE "users" ADD CONSTRAINT "users_phone" CHECK (phone <> \'\');',
    'CREATE UNIQUE INDEX "users_phone" ON "users" USING btree ("phone");',
    'DELETE FROM "users" WHERE phone is null;',
    'TRUNCATE "users";',
    'CREATE OR REPLACE FUNCTION "forget"() RETURNS void LANGUAGE sql AS $$ DELETE FROM users; $$;',
    'CREATE FUNCTION "forget"() RETURNS void LANGUAGE sql AS $$ $$; DROP FUNCTION "keep";',
  ])('finds %s', (sql) => {
    expect(found(sql)).toHaveLength(1);
  });

  it('names the migration and the statement, without comments and with single spaces', () => {
    const sql = '-- Not used since.\nALTER TABLE "users"\n  DROP COLUMN "phone"; -- at last';
    expect(findRemovals([{ tag: '0001_x', sql }])).toEqual([
      { migration: '0001_x', statement: 'ALTER TABLE users DROP COLUMN phone' },
    ]);
  });
});
