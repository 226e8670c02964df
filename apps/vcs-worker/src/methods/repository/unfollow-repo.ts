import { reaches } from '@trunkline/contracts';
import { repositoryNotFound } from '../../authz/authorize.ts';
import { requireEditable, requireFoundUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const unfollowRepo: MethodHandler<'unfollow_repo'> = async ({ repoid, userid }, { actOnRepository }) =>
  actOnRepository(
    { kind: 'unfollow', repository: repoid, target: userid },
    ({ access, repository: { name, level }, target, changed: success, isFollower }) => {
      const readable = reaches(level, 'read');
      if (!readable && !isFollower) throw repositoryNotFound(repoid);
      const user = requireEditable(requireFoundUser(access, userid, target));
      // A caller without the right to read must not learn the present name.
      const shown = readable ? name : repoid.sent;
      return { success, msg: `user \`${user.username}\` does not follow repo \`${shown}\`` };
    },
  );
