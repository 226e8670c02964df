#!/bin/sh
# Starts HAProxy with infra/haproxy/haproxy.cfg, without TLS and with the addresses of compose.yaml.
set -eu
sed -e 's/bind :443 ssl .*/bind :5000/' -e 's/X-Forwarded-Proto https/X-Forwarded-Proto http/' \
  -e 's#/run/haproxy/admin.sock#/tmp/admin.sock#' \
  -e 's/10\.0\.0\.5:5000/10.213.64.11:5000/' -e 's/10\.0\.0\.6:5000/10.213.64.12:5000/' "$1" > /tmp/haproxy.cfg
exec haproxy -W -db -f /tmp/haproxy.cfg
