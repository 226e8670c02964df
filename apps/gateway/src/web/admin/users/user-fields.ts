import type { ListedUser } from '@trunkline/contracts';

/** The fields of a user's form, as texts. */
export interface UserFields {
  readonly username: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
  readonly ldap_dn: string;
  readonly active: boolean;
  readonly admin: boolean;
}

/** The initial fields of a new user's form. */
export const newUser: UserFields = {
  username: '',
  firstname: '',
  lastname: '',
  email: '',
  ldap_dn: '',
  active: true,
  admin: false,
};

export function fieldsOf({ username, firstname, lastname, email, ldap_dn: dn, active, admin }: ListedUser): UserFields {
  return {
    username,
    firstname: firstname ?? '',
    lastname: lastname ?? '',
    email: email ?? '',
    ldap_dn: dn ?? '',
    active,
    admin,
  };
}

export function sentFields(form: URLSearchParams): UserFields {
  const line = (name: string) => form.get(name)?.trim() ?? '';
  return {
    username: line('username'),
    firstname: line('firstname'),
    lastname: line('lastname'),
    email: line('email'),
    ldap_dn: line('ldap_dn'),
    active: form.has('active'),
    admin: form.has('admin'),
  };
}
