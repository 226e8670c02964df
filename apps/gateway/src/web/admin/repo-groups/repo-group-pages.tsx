import { NotFoundError, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { area, check, text, type FormValues } from '../../form/form-schema.tsx';
import { pathTo } from '../../http/path-segments.ts';
import type { TabbedPages } from '../../layout/tabbed-pages.tsx';
import { shownLines } from '../../render/shown-text.ts';
import { newOwner, owner } from '../admin-form.ts';
import { idSegment, listPage, newPage, type ObjectKind } from '../object-pages.tsx';
import { deletePage, editPage } from '../object-part-pages.tsx';
import { StoredSize } from '../../layout/inline.tsx';

const parts = { '': 'General', perms: 'Permissions', advanced: 'Delete' };

/** Returns the path of a repository group's administration pages. */
function repoGroupPath(id: number): string {
  return `/_admin/repo_groups/${id}/edit`;
}

interface AdministeredRepoGroup {
  readonly group: NonNullable<ResultOfMethod<Served['view_repo_group']>>;
  readonly id: number;
  readonly tabbed: TabbedPages;
}

/** Repository groups, with the one whose id is in the path. */
export const repoGroups: ObjectKind<AdministeredRepoGroup> = {
  pageName: 'RepoGroupsController:__before__',
  section: 'repo_groups',
  noun: 'repository group',
  async readObject(visit) {
    const id = idSegment(visit);
    const group = await visit.worker.call('view_repo_group', { repogroupid: id });
    if (!group) throw new NotFoundError('There is no such repository group.');
    return { group, id, tabbed: { heading: group.group_name, path: repoGroupPath(id), parts } };
  },
};

const inGroup = 'Full name of the parent group. Leave empty for the top level.';

/** The form of an existing repository group; fields are named as the arguments of `update_repo_group`. */
const schema = {
  group_name: text({ label: 'Name', required: true, maxlength: 255, hint: 'Without the names of its parent groups.' }),
  parent: text({ label: 'Parent group', maxlength: 255, hint: inGroup }),
  owner,
  description: area({ label: 'Description' }),
};

/** The form of a new repository group; fields are named as the arguments of `create_repo_group`. */
const newSchema = {
  ...schema,
  owner: newOwner,
  copy_permissions: check({ label: 'Copy permissions', hint: 'Copies the levels from the parent group.' }),
};

function valuesOf({ group }: AdministeredRepoGroup): FormValues<typeof schema> {
  const { group_name: name, parent_group: parent, owner: ownerName, description } = group;
  return { group_name: name.split('/').at(-1) ?? '', parent: parent ?? '', owner: ownerName, description };
}

type ListedGroup = ResultOfMethod<Served['browse_repo_groups']>['groups'][number];

function GroupRow({
  group: { group_id: id, group_name: name, description, owner: ownerName },
}: {
  group: ListedGroup;
}) {
  return (
    <>
      <a href={repoGroupPath(id)}>{name}</a>
      {description !== '' && <p>{shownLines(description)}</p>}
      <p class="meta">
        <span>owned by {ownerName}</span>
      </p>
    </>
  );
}

export const repoGroupsPage = listPage(repoGroups, {
  filterLabel: 'Name contains',
  async find({ worker }, query) {
    const { groups: rows, next } = await worker.call('browse_repo_groups', query);
    return { rows, next };
  },
  showRow: (group) => <GroupRow group={group} />,
});

export const newRepoGroupPage = newPage(repoGroups, {
  schema: newSchema,
  initial: { group_name: '', parent: '', owner: '', description: '', copy_permissions: false },
  async create({ worker }, { parent, owner: ownerName, ...values }) {
    const args = { ...values, parent: parent || null, owner: ownerName || null };
    const { repo_group: group } = await worker.call('create_repo_group', args);
    return { name: group.group_name, path: repoGroupPath(group.group_id) };
  },
});

/** The page of the name, parent, description and owner of a repository group. */
export const repoGroupPage = editPage(repoGroups, {
  schemaOf: () => schema,
  valuesOf,
  async about({ worker }, { id, group }) {
    const size = await worker.call('view_stored_size', { repogroupid: id });
    const above = (
      <>
        <p>
          <a href={pathTo(group.group_name)}>Contents of the group</a>. A new name or parent also changes the names of
          everything in the group.
        </p>
        <StoredSize size={size} of="In the group and its subgroups" />
      </>
    );
    return { above };
  },
  update: ({ worker }, { id }, changed) => worker.call('update_repo_group', { repogroupid: id, ...changed }),
});

export const deleteRepoGroupPage = deletePage(repoGroups, {
  nameOf: ({ group }) => group.group_name,
  warning: (name) => (
    <>
      This permanently deletes <strong>{name}</strong>. A group that contains repositories or other groups cannot be
      deleted.
    </>
  ),
  remove: ({ worker }, { id }) => worker.call('delete_repo_group', { repogroupid: id }),
});
