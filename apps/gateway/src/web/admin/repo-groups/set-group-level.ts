import { levelNotice, type Member } from '../../member/member.ts';
import type { Visit } from '../../visit.ts';

/**
 * Sets a member's level on a repository group and the chosen objects below the group; `revoke` removes the level.
 * Returns the notice for the next page.
 */
export async function setGroupLevel({ worker, form }: Visit, repogroupid: number, member: Member): Promise<string> {
  const { type, name, permission: perm } = member;
  const on = { repogroupid, apply_to_children: form.get('apply_to_children') };
  if (type === 'user') {
    const args = { ...on, userid: name };
    const call =
      perm === 'revoke'
        ? worker.call('revoke_user_permission_from_repo_group', args)
        : worker.call('grant_user_permission_to_repo_group', { ...args, perm });
    await call;
    return levelNotice(member);
  }
  const args = { ...on, usersgroupid: name };
  const call =
    perm === 'revoke'
      ? worker.call('revoke_user_group_permission_from_repo_group', args)
      : worker.call('grant_user_group_permission_to_repo_group', { ...args, perm });
  await call;
  return levelNotice(member);
}
