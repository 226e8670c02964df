import { InvalidArgsError, keyRepositoriesMax } from '@trunkline/contracts';
import { AreaField, SelectField, TextField } from '../form/fields.tsx';
import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../visitor/visitor.ts';

/** Labels of the lifetimes to choose from, by minutes; -1 is a lifetime without end. */
const lifetimes = {
  '5': 'in 5 minutes',
  '60': 'in 1 hour',
  '1440': 'in 1 day',
  '43200': 'in 30 days',
  '-1': 'never',
} as const;

const limits = {
  '': 'everything the user may do',
  fetch: 'clone and fetch only',
  push: 'clone, fetch and push only',
} as const;

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  /** The form that was refused, whose values are shown again; null for an empty form. */
  readonly entered: URLSearchParams | null;
}

/** Renders the form for a further key. */
export function NewKeyForm({ visitor, action, entered }: Props) {
  const value = (name: string, fallback = '') => entered?.get(name) ?? fallback;
  return (
    <form method="post" action={action} class="stacked">
      <CsrfField visitor={visitor} />
      <SelectField label="Expires" name="lifetime" value={value('lifetime', '-1')} choices={lifetimes} />
      <SelectField label="Allows" name="limited_to" value={value('limited_to')} choices={limits} />
      <AreaField
        label="Repositories"
        name="repositories"
        value={value('repositories')}
        hint={`For a limited key: names of at most ${keyRepositoriesMax} repositories, one on each line. Leave it empty for all.`}
      />
      <TextField
        label="Description"
        name="description"
        value={value('description')}
        maxlength={1_000}
        hint="What the key is used for, for example the name of a program."
      />
      <button>Add key</button>
    </form>
  );
}

/** Returns the arguments of `create_api_key` that a sent form gives. */
export function readNewKey(form: URLSearchParams) {
  const lifetime = form.get('lifetime');
  if (lifetime === null) throw new InvalidArgsError('Choose when the key expires');
  const named = (form.get('repositories') ?? '').split(/[\n,]/).map((name) => name.trim());
  const repositories = named.filter((name) => name !== '');
  return {
    lifetime,
    description: form.get('description'),
    limited_to: form.get('limited_to') || null,
    repositories: repositories.length === 0 ? null : repositories,
  };
}
