import type { MethodHandler } from '../context.ts';

export const viewRights: MethodHandler<'view_rights'> = async (_args, { access: { user, globalPermissions } }) => {
  const mayCreate = user.admin || globalPermissions.includes('hg.create.repository');
  return {
    create_repository: mayCreate,
    fork_repository: mayCreate || globalPermissions.includes('hg.fork.repository'),
  };
};
