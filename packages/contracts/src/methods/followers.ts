import { required } from '../args/arg.ts';
import { entityRef } from '../args/schemas.ts';
import { targetUser } from '../args/target-user.ts';
import { defineMethod } from '../method.ts';
import { Outcome } from '../records/outcome.ts';

const repoid = required(entityRef, 'Repository name or id');

export const followRepo = defineMethod({
  name: 'follow_repo',
  summary: 'Adds a user to the followers of a repository.',
  permission: { caller: 'any', repository: 'read' },
  lane: 'metadata',
  access: 'write',
  args: { repoid, userid: targetUser },
  result: Outcome,
});

export const unfollowRepo = defineMethod({
  name: 'unfollow_repo',
  summary: 'Removes a user from the followers of a repository, even when the user can no longer read it.',
  // A follower who has lost the level `read` may still unfollow; the handler hides the repository from other callers.
  permission: { caller: 'any', repository: 'none' },
  lane: 'metadata',
  access: 'write',
  args: { repoid, userid: targetUser },
  result: Outcome,
});
