import { SelectField } from '../form/fields.tsx';

const outcomes = { '': 'any', running: 'running', succeeded: 'succeeded', failed: 'failed' };
const texts = [
  ['userid', 'Username', 'text'],
  ['method', 'Method', 'text'],
  ['start_date', 'From', 'date'],
  ['end_date', 'Until', 'date'],
] as const;

interface Props {
  readonly path: string;
  readonly filter: Readonly<Record<string, string>>;
}

export function AuditLogFilter({ path, filter }: Props) {
  return (
    <form method="get" action={path} class="inline" role="search">
      {texts.map(([name, label, type]) => (
        <label>
          {label}
          <input name={name} type={type} value={filter[name] ?? ''} maxlength={255} autocomplete="off" />
        </label>
      ))}
      <SelectField label="Outcome" name="outcome" value={filter['outcome'] ?? ''} choices={outcomes} />
      <button class="plain">Filter</button>
      {Object.keys(filter).length > 0 && <a href={path}>Show all</a>}
    </form>
  );
}
