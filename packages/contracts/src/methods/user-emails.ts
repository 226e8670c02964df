import { required } from '../args/arg.ts';
import { targetUser } from '../args/target-user.ts';
import { emailAddress } from '../args/email-address.ts';
import { defineMethod } from '../method.ts';
import { Outcome } from '../records/outcome.ts';

export const addUserEmail = defineMethod({
  name: 'add_user_email',
  summary: 'Gives a user an additional e-mail address.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { email: required(emailAddress, 'An address that nobody has; kept in lower case'), userid: targetUser },
  result: Outcome,
});

export const removeUserEmail = defineMethod({
  name: 'remove_user_email',
  summary: 'Takes an additional e-mail address away from a user; the primary one stays.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { email: required(emailAddress, 'One of the user’s additional addresses'), userid: targetUser },
  result: Outcome,
});
