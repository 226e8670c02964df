import { required } from '../args/arg.ts';
import { targetUser } from '../args/target-user.ts';
import { emailAddress } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';
import { Outcome } from '../records/outcome.ts';

export const addUserEmail = defineMethod({
  name: 'add_user_email',
  summary: 'Adds an additional e-mail address to a user; a user has at most 100 addresses.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { email: required(emailAddress, 'Address that no user has yet; stored in lower case'), userid: targetUser },
  result: Outcome,
});

export const removeUserEmail = defineMethod({
  name: 'remove_user_email',
  summary: 'Removes an additional e-mail address of a user; the primary address cannot be removed.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { email: required(emailAddress, 'One of the user’s additional addresses'), userid: targetUser },
  result: Outcome,
});
