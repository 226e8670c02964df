#!/bin/sh
# Prints the secrets of a new instance for infra/compose/.env: sh make-secrets.sh > .env
set -eu
random() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }
# A password of the bus must begin with a letter, and one in a URL must have no special characters.
password() { printf 'p%s' "$(random 24)"; }

echo "TRUNKLINE_SECRET=$(random 32)"
echo "TRUNKLINE_ADMIN_API_KEY=$(random 20)"
echo "TRUNKLINE_ADMIN_PASSWORD=$(password)"
echo "POSTGRES_PASSWORD=$(password)"
echo "OWNER_PASSWORD=$(password)"
echo "GATEWAY_PASSWORD=$(password)"
echo "WORKER_PASSWORD=$(password)"
echo "TRUNKLINE_NATS_GATEWAY_PASSWORD=$(password)"
echo "TRUNKLINE_NATS_WORKER_PASSWORD=$(password)"
