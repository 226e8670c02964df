import { required } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { targetUser } from '../args/target-user.ts';
import { defineMethod } from '../method.ts';
import { Outcome } from '../records/outcome.ts';

const repoid = required(entityRef, 'Repository name or id');

export const followRepo = defineMethod({
  name: 'follow_repo',
  summary: 'Makes a user a follower of a repository.',
  permission: { caller: 'any', repository: 'read' },
  lane: 'metadata',
  access: 'write',
  args: { repoid, userid: targetUser },
  result: Outcome,
});

export const unfollowRepo = defineMethod({
  name: 'unfollow_repo',
  summary: 'Makes a user no follower of a repository any more, also one who may not read it now.',
  // A follower who lost the read right may still unfollow; the handler hides the repository from everybody else.
  permission: { caller: 'any', repository: 'none' },
  lane: 'metadata',
  access: 'write',
  args: { repoid, userid: targetUser },
  result: Outcome,
});
