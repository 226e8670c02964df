import type { ListedUser } from '@trunkline/contracts';
import { check, newPassword, text, type FormValues } from '../../form/form-schema.tsx';

const ldapHint = 'Distinguished name (DN) in LDAP. The user signs in with the LDAP password.';

const fieldsWith = (emailRequired: boolean, password: ReturnType<typeof newPassword>) => ({
  username: text({
    label: 'Username',
    required: true,
    maxlength: 255,
    hint: 'Letters, digits, “-”, “_”, “.” and “@”; not digits only.',
  }),
  firstname: text({ label: 'First name', maxlength: 255 }),
  lastname: text({ label: 'Last name', maxlength: 255 }),
  email: text({ label: 'E-mail address', inputmode: 'email', required: emailRequired, hint: 'The primary address.' }),
  password,
  ldap_dn: text({ label: 'LDAP entry', maxlength: 1_000, hint: ldapHint }),
  active: check({ label: 'Active', hint: 'An inactive user can neither sign in nor use an API key.' }),
  admin: check({ label: 'Administrator', hint: 'Has all permissions on the whole service.' }),
});

type UserSchema = ReturnType<typeof fieldsWith>;

/** The form of a new user; fields are named as the arguments of `create_user`. */
export const newUserSchema: UserSchema = fieldsWith(
  true,
  newPassword({
    label: 'Password',
    hint: 'Without a password, the user can only use an API key or sign in with LDAP.',
  }),
);

/** The form of an existing user; fields are named as the arguments of `update_user`. */
export function userSchema(user: ListedUser): UserSchema {
  const hint = 'Leave empty to keep the current password. A new password ends all sessions of the user.';
  return fieldsWith(user.email !== null, newPassword({ label: 'New password', hint }));
}

/** The initial values of a new user's form. */
export const newUser: FormValues<UserSchema> = {
  username: '',
  firstname: '',
  lastname: '',
  email: '',
  password: '',
  ldap_dn: '',
  active: true,
  admin: false,
};

export function userValues({ username, firstname, lastname, email, ldap_dn: dn, active, admin }: ListedUser) {
  const values: FormValues<UserSchema> = {
    username,
    firstname: firstname ?? '',
    lastname: lastname ?? '',
    email: email ?? '',
    password: '',
    ldap_dn: dn ?? '',
    active,
    admin,
  };
  return values;
}
