import { requireEditable, requireFoundUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const followRepo: MethodHandler<'follow_repo'> = async ({ repoid, userid }, { actOnRepository }) =>
  actOnRepository(
    { kind: 'follow', repository: repoid, target: userid },
    ({ access, repository, target, changed: success }) => {
      const user = requireEditable(requireFoundUser(access, userid, target));
      return { success, msg: `user \`${user.username}\` follows repo \`${repository.name}\`` };
    },
  );
