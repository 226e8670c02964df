import type { ListedUserGroup } from '@trunkline/contracts';
import { area, check, text, type FormValues } from '../../form/form-schema.tsx';
import { newOwner, owner } from '../owner-field.ts';

const name = text({
  label: 'Name',
  required: true,
  maxlength: 255,
  hint: 'Letters, digits, “-”, “_”, “.” and “@”; at least two characters.',
});
const active = check({ label: 'Active', hint: 'An inactive group grants its members no permissions.' });

/** The form of an existing user group; fields are named as the arguments of `update_user_group`. */
export const userGroupSchema = { group_name: name, description: area({ label: 'Description' }), owner, active };

/** The form of a new user group; fields are named as the arguments of `create_user_group`. */
export const newUserGroupSchema = { group_name: name, owner: newOwner, active };

export function userGroupValues(group: ListedUserGroup): FormValues<typeof userGroupSchema> {
  const { group_name: groupName, description, owner: ownerName, active: isActive } = group;
  return { group_name: groupName, description, owner: ownerName, active: isActive };
}
