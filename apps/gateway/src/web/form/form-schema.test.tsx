import { expect, it } from 'vitest';
import { area, check, newPassword, readForm, select, text } from './form-schema.tsx';

const schema = {
  name: text({ label: 'Name' }),
  password: newPassword({ label: 'Password' }),
  description: area({ label: 'Description' }),
  type: select({ label: 'Type', choices: { hg: 'Mercurial', git: 'Git' } }),
  active: check({ label: 'Active' }),
};
const initial = { name: 'old', password: '', description: 'One', type: 'hg', active: true };

it('reads each kind of field: spaces of lines go, CR LF becomes LF, passwords stay as they are', () => {
  const sent = { name: ' new ', password: ' secret ', description: 'One\r\nTwo ', type: 'git', active: 'true' };
  const values = { name: 'new', password: ' secret ', description: 'One\nTwo ', type: 'git', active: true };
  expect(readForm(schema, new URLSearchParams(sent), initial)).toEqual(values);
});

it('keeps the initial values of fields that the form lacks, but for check boxes', () => {
  expect(readForm(schema, new URLSearchParams(), initial)).toEqual({ ...initial, active: false });
});

it('reads no value that the schema does not name', () => {
  expect(readForm(schema, new URLSearchParams({ admin: 'true', __proto__: 'x' }), initial)).not.toHaveProperty('admin');
});

it('shows no password', () => {
  const page = (
    <>
      {schema.password.show('password', 'secret')}
      {schema.name.show('name', '"><script>')}
    </>
  );
  expect(page.toString()).not.toContain('secret');
  expect(page.toString()).toContain('value="&quot;&gt;&lt;script&gt;"');
});
