import { AreaField, CheckField, TextField } from '../../form/fields.tsx';
import { CsrfField } from '../../layout/page.tsx';
import type { Visitor } from '../../visitor/visitor.ts';
import type { GeneralFields } from './general-fields.ts';

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  readonly fields: GeneralFields;
}

export function GeneralForm({ visitor, action, fields }: Props) {
  return (
    <form method="post" action={action} class="stacked">
      <CsrfField visitor={visitor} />
      <TextField label="Name" name="name" value={fields.name} required maxlength={255} hint="Without its groups." />
      <TextField
        label="Group"
        name="group"
        value={fields.group}
        maxlength={255}
        hint="Full name of the repository group to move it into."
      />
      {visitor.admin && <TextField label="Owner" name="owner" value={fields.owner} required maxlength={255} />}
      <AreaField label="Description" name="description" value={fields.description} />
      <TextField
        label="Landing revision"
        name="landing_rev"
        value={fields.landing_rev}
        hint="The branch, tag or bookmark that pages show first."
      />
      <TextField
        label="Remote repository"
        name="clone_uri"
        value={fields.clone_uri}
        hint="Address to pull from; empty for none. A password in it is not shown, and stays when the address does."
      />
      <CheckField
        label="Private"
        name="private"
        checked={fields.private}
        hint="Only those see it who are given a level on it."
      />
      <CheckField label="Offer archives for download" name="enable_downloads" checked={fields.enable_downloads} />
      <button>Save</button>
    </form>
  );
}
