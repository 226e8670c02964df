import type { ListedUserGroup } from '@trunkline/contracts';
import { RefusalText } from '../../form/fields.tsx';
import { area, check, text, type FormValues } from '../../form/form-schema.tsx';
import { partPath, type TabbedPages } from '../../layout/tabbed-pages.tsx';
import { shownLines } from '../../render/shown-text.ts';
import { newOwner, owner } from '../admin-form.ts';
import { changeGrant, GlobalGrants, readGrants } from '../global-grants.tsx';
import { idSegment, listPage, newPage, type ObjectKind } from '../object-pages.tsx';
import { deletePage, editPage, partPage } from '../object-part-pages.tsx';

const parts = { '': 'General', members: 'Members', perms: 'Permissions', advanced: 'Delete' };

/** Returns the path of a user group's administration pages. */
export function userGroupPath(id: number): string {
  return `/_admin/user_groups/${id}/edit`;
}

interface AdministeredUserGroup {
  readonly group: ListedUserGroup;
  readonly id: number;
  readonly tabbed: TabbedPages;
}

/** User groups, with the one whose id is in the path. */
export const userGroups: ObjectKind<AdministeredUserGroup> = {
  pageName: 'UserGroupsController:__before__',
  section: 'user_groups',
  noun: 'user group',
  async readObject(visit) {
    const id = idSegment(visit);
    const group = await visit.worker.call('view_user_group', { usersgroupid: id });
    return { group, id, tabbed: { heading: group.group_name, path: userGroupPath(id), parts } };
  },
};

const name = text({
  label: 'Name',
  required: true,
  maxlength: 255,
  hint: 'Letters, digits, “-”, “_”, “.” and “@”; at least two characters.',
});
const active = check({ label: 'Active', hint: 'An inactive group grants its members no permissions.' });

/** The form of an existing user group; fields are named as the arguments of `update_user_group`. */
const schema = { group_name: name, description: area({ label: 'Description' }), owner, active };

function valuesOf({ group }: AdministeredUserGroup): FormValues<typeof schema> {
  const { group_name: groupName, description, owner: ownerName, active: isActive } = group;
  return { group_name: groupName, description, owner: ownerName, active: isActive };
}

function GroupRow({ group }: { group: ListedUserGroup }) {
  const { users_group_id: id, group_name: groupName, description, active: isActive, owner: ownerName, members } = group;
  return (
    <>
      <div class="title">
        <a href={userGroupPath(id)}>{groupName}</a>
        {!isActive && <span class="badge warn">inactive</span>}
      </div>
      {description !== '' && <p>{shownLines(description)}</p>}
      <p class="meta">
        <span>
          {members} {members === 1 ? 'member' : 'members'}
        </span>
        <span>owned by {ownerName}</span>
      </p>
    </>
  );
}

export const userGroupsPage = listPage(userGroups, {
  filterLabel: 'Name contains',
  async find({ worker }, query) {
    const { groups: rows, next } = await worker.call('browse_user_groups', query);
    return { rows, next };
  },
  showRow: (group) => <GroupRow group={group} />,
});

export const newUserGroupPage = newPage(userGroups, {
  // Fields are named as the arguments of `create_user_group`.
  schema: { group_name: name, owner: newOwner, active },
  initial: { group_name: '', owner: '', active: true },
  async create({ worker }, values) {
    const { users_group: group } = await worker.call('create_user_group', { ...values, owner: values.owner || null });
    return { name: group.group_name, path: userGroupPath(group.users_group_id) };
  },
});

/** The page of the name, description, owner and state of a user group. */
export const userGroupPage = editPage(userGroups, {
  schemaOf: () => schema,
  valuesOf,
  update: ({ worker }, { id }, changed) => worker.call('update_user_group', { usersgroupid: id, ...changed }),
});

export const deleteUserGroupPage = deletePage(userGroups, {
  nameOf: ({ group }) => group.group_name,
  warning: (groupName) => (
    <>
      This permanently deletes <strong>{groupName}</strong>, but not its members. A group that has a level on a
      repository or repository group cannot be deleted.
    </>
  ),
  remove: ({ worker }, { id }) => worker.call('delete_user_group', { usersgroupid: id }),
});

/** The page of the global permissions granted to a user group. */
export const userGroupPermissionsPage = partPage(userGroups, {
  part: 'perms',
  async show(visit, { id, tabbed }, refusal) {
    const granted = await readGrants(visit, { usersgroupid: id });
    return (
      <>
        <p>Global permissions of all members.</p>
        <RefusalText refusal={refusal} />
        <GlobalGrants visitor={visit.visitor} action={partPath(tabbed, 'perms')} granted={granted} />
      </>
    );
  },
  submit: (visit, { id }) => changeGrant(visit, { usersgroupid: id }),
});
