import { required } from '../args/arg.ts';
import { entityRef, text } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';
import { Outcome } from '../records/outcome.ts';

const userid = required(entityRef, 'Username or user id; `default` stands for everybody');
const ip = required(text(1_000), 'An address or a network (CIDR), IPv4 or IPv6');

export const addUserIp = defineMethod({
  name: 'add_user_ip',
  summary:
    'Adds an address or network from which a user may connect. Without any entry for the user or for everybody, all addresses are allowed.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: { userid, ip },
  result: Outcome,
});

export const removeUserIp = defineMethod({
  name: 'remove_user_ip',
  summary: 'Removes an address or network from which a user may connect.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: { userid, ip },
  result: Outcome,
});
