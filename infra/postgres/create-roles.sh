#!/bin/sh
# Creates the roles of a new instance with their passwords, which the environment has. The image of Postgres runs this
# at its first start, with roles.sql in /etc/trunkline.
set -eu
# psql 15 or newer, which reads the passwords from the environment: on its command line, others could see them.
psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\i /etc/trunkline/roles.sql
\getenv owner_password OWNER_PASSWORD
\getenv gateway_password GATEWAY_PASSWORD
\getenv worker_password WORKER_PASSWORD
-- A statement that fails would be in the server's log, with its password.
set log_min_error_statement = panic;
alter role trunkline_owner password :'owner_password';
alter role trunkline_gateway password :'gateway_password';
alter role trunkline_worker password :'worker_password';
SQL
