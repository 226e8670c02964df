import { describe, expect, it } from 'vitest';
import { changedFields, readForm } from '../../form/form-schema.tsx';
import { generalSchema } from './general-page.tsx';

const current = {
  name: 'docs',
  group: 'team',
  owner: 'ada',
  description: 'One\nTwo',
  clone_uri: '',
  landing_rev: 'tip',
  private: true,
  enable_downloads: false,
};

describe('a form of the settings', () => {
  it('an unchanged form changes nothing', () => {
    const form = new URLSearchParams({ ...current, description: 'One\r\nTwo', private: 'true', enable_downloads: '' });
    form.delete('enable_downloads');
    expect(changedFields(readForm(generalSchema, form, current), current)).toEqual({});
  });

  it('sends changed fields, and no field that the form does not have', () => {
    const form = new URLSearchParams({ name: ' guide ', landing_rev: '', enable_downloads: 'true' });
    const changed = { name: 'guide', landing_rev: '', private: false, enable_downloads: true };
    expect(changedFields(readForm(generalSchema, form, current), current)).toEqual(changed);
  });
});
