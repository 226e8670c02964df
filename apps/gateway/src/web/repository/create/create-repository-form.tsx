import { AreaField, CheckField, RefusalText, SelectField, TextField } from '../../form/fields.tsx';
import type { Refusal } from '../../form/rerender-on-error.ts';
import { CsrfField } from '../../layout/page.tsx';
import type { Visitor } from '../../visitor/visitor.ts';

export interface CreateFields {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly cloneUri: string;
  readonly landingRev: string;
  readonly isPrivate: boolean;
  readonly enableDownloads: boolean;
}

interface Props {
  readonly visitor: Visitor;
  readonly fields: CreateFields;
  readonly refusal: Refusal | null;
}

export function CreateRepositoryForm({ visitor, fields, refusal }: Props) {
  return (
    <form method="post" action="/_admin/create_repository" class="stacked">
      <CsrfField visitor={visitor} />
      <RefusalText refusal={refusal} />
      <TextField
        label="Name"
        name="repo_name"
        value={fields.name}
        required
        maxlength={255}
        autofocus
        hint={
          <>
            As in <code>group/subgroup/name</code>; groups that are missing are created.
          </>
        }
      />
      <SelectField label="Type" name="repo_type" value={fields.type} choices={{ hg: 'Mercurial', git: 'Git' }} />
      <AreaField label="Description" name="description" value={fields.description} />
      <TextField
        label="Copy from"
        name="clone_uri"
        value={fields.cloneUri}
        hint="Address of a repository elsewhere to copy, and to pull from later. Leave it empty for an empty repository."
      />
      <TextField
        label="Landing revision"
        name="landing_rev"
        value={fields.landingRev}
        hint="The branch, tag or bookmark that pages show first."
      />
      <CheckField
        label="Private"
        name="private"
        checked={fields.isPrivate}
        hint="Only those see it who are given a level on it."
      />
      <CheckField label="Offer archives for download" name="enable_downloads" checked={fields.enableDownloads} />
      <button>Create repository</button>
    </form>
  );
}
