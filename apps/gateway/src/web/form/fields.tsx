import { passwordCharsMin } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { ApiText } from '../layout/inline.tsx';
import type { Refusal } from './form-route.ts';

/** Renders the error text of a refused form, to be shown above the form; nothing for null. */
export function RefusalText({ refusal }: { refusal: Refusal | null }) {
  return (
    refusal && (
      <p class="error" role="alert">
        <ApiText text={refusal.message} />
      </p>
    )
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly hint?: Child;
}

export interface TextFieldProps extends FieldProps {
  readonly type?: 'text' | 'password';
  /** For an e-mail address: browsers refuse letters beyond ASCII in a field of the type `email`. */
  readonly inputmode?: 'email';
  readonly autocomplete?: string;
  readonly minlength?: number;
  readonly required?: boolean;
  readonly maxlength?: number;
  readonly autofocus?: boolean;
}

export function TextField({ label, hint, ...input }: TextFieldProps) {
  return (
    <label>
      {label}
      <input autocomplete="off" spellcheck={false} {...input} />
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}

/** Renders an empty field for a new password; the hint begins with what is asked of it. */
export function NewPasswordField({ hint, ...props }: Omit<TextFieldProps, 'value' | 'type'>) {
  const about = `At least ${passwordCharsMin} characters, and not the username.`;
  const input = { type: 'password', autocomplete: 'new-password', minlength: passwordCharsMin, value: '' } as const;
  return (
    <TextField
      {...props}
      {...input}
      hint={
        hint === undefined ? (
          about
        ) : (
          <>
            {about} {hint}
          </>
        )
      }
    />
  );
}

export function AreaField({ label, hint, name, value }: FieldProps) {
  return (
    <label>
      {label}
      {/* Parsers of HTML drop a line feed at the beginning of a textarea. */}
      <textarea name={name} rows={3}>
        {`\n${value}`}
      </textarea>
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}

type CheckFieldProps = Omit<FieldProps, 'value'> & { readonly checked: boolean; readonly required?: boolean };

export function CheckField({ label, hint, ...input }: CheckFieldProps) {
  return (
    <label>
      <input type="checkbox" value="true" {...input} />
      {label}
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}

type ChoiceProps = FieldProps & { readonly choices: Readonly<Record<string, string>> };

/** Renders a choice of one value out of several; `choices` has the values' labels by the values. */
export function SelectField({ label, hint, name, value, choices }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name}>
        {Object.entries(choices).map(([choice, text]) => (
          <option value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}
