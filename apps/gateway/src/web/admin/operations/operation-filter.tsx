import { SelectField } from '../../form/fields.tsx';

const states = { '': 'any', running: 'running', done: 'done', failed: 'failed' };

interface Props {
  readonly path: string;
  readonly filter: Readonly<Record<string, string>>;
}

export function OperationFilter({ path, filter }: Props) {
  return (
    <form method="get" action={path} class="inline" role="search">
      <SelectField label="State" name="state" value={filter['state'] ?? ''} choices={states} />
      <label>
        Username
        <input name="userid" value={filter['userid'] ?? ''} maxlength={255} autocomplete="off" spellcheck={false} />
      </label>
      <button class="plain">Filter</button>
      {Object.keys(filter).length > 0 && <a href={path}>Show all</a>}
    </form>
  );
}
