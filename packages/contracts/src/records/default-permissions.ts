import * as v from 'valibot';

/** Rights that every user has on new repositories and groups, and on the service as a whole. */
export const DefaultPermissionsRecord = v.strictObject({
  repository: v.picklist(['repository.none', 'repository.read', 'repository.write', 'repository.admin']),
  group: v.picklist(['group.none', 'group.read', 'group.write', 'group.admin']),
  usergroup: v.picklist(['usergroup.none', 'usergroup.read', 'usergroup.write', 'usergroup.admin']),
  create_repository: v.boolean(),
  fork_repository: v.boolean(),
  register: v.picklist(['hg.register.none', 'hg.register.manual_activate', 'hg.register.auto_activate']),
});
export type DefaultPermissionsRecord = v.InferOutput<typeof DefaultPermissionsRecord>;
