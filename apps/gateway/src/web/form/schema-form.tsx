import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../visitor/visitor.ts';
import type { FormSchema, FormValues } from './form-schema.tsx';

interface Props<S extends FormSchema> {
  readonly visitor: Visitor;
  /** The path that the form is sent to. */
  readonly action: string;
  readonly schema: S;
  readonly values: FormValues<S>;
  /** The text of the button. */
  readonly submit: string;
}

/** Renders a form with a schema's fields. */
export function SchemaForm<S extends FormSchema>({ visitor, action, schema, values, submit }: Props<S>) {
  return (
    <form method="post" action={action} class="stacked">
      <CsrfField visitor={visitor} />
      {Object.entries(schema).map(([name, field]) => field.show(name, values[name] ?? ''))}
      <button>{submit}</button>
    </form>
  );
}
