import { AreaField, CheckField, TextField } from '../../form/fields.tsx';
import { pathTo } from '../../http/path-segments.ts';
import { CsrfField } from '../../layout/page.tsx';
import type { Visitor } from '../../visitor/visitor.ts';
import type { RepositoryHead } from '../head/repository-head.ts';

export interface ForkFields {
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  readonly copyPermissions: boolean;
}

interface Props {
  readonly visitor: Visitor;
  readonly repository: RepositoryHead;
  readonly fields: ForkFields;
}

export function ForkForm({ visitor, repository, fields }: Props) {
  return (
    <form method="post" action={pathTo(repository.repo_name, 'forks')} class="stacked">
      <CsrfField visitor={visitor} />
      <TextField
        label="Name of the fork"
        name="fork_name"
        value={fields.name}
        required
        maxlength={255}
        hint={
          <>
            As in <code>group/subgroup/name</code>; groups that are missing are created.
          </>
        }
      />
      <AreaField label="Description" name="description" value={fields.description} />
      <CheckField
        label="Private"
        name="private"
        checked={fields.isPrivate}
        hint="Only those see it who are given a level on it. A private repository of others has private forks only."
      />
      <CheckField
        label="Copy permissions"
        name="copy_permissions"
        checked={fields.copyPermissions}
        hint="Give the fork the levels that users and groups have here."
      />
      <button>Fork this repository</button>
    </form>
  );
}
