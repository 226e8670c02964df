import type { RepositoryHead } from '../head/repository-head.ts';

/** The fields of the settings form, as texts. */
export interface GeneralFields {
  readonly name: string;
  readonly group: string;
  readonly owner: string;
  readonly description: string;
  readonly clone_uri: string;
  readonly landing_rev: string;
  readonly private: boolean;
  readonly enable_downloads: boolean;
}

export function fieldsOf(repository: RepositoryHead): GeneralFields {
  const segments = repository.repo_name.split('/');
  return {
    name: segments.at(-1) ?? '',
    group: segments.slice(0, -1).join('/'),
    owner: repository.owner,
    description: repository.description,
    clone_uri: repository.clone_uri ?? '',
    landing_rev: repository.landing_rev,
    private: repository.private,
    enable_downloads: repository.enable_downloads,
  };
}

export function sentFields(form: URLSearchParams): Partial<GeneralFields> {
  const line = (name: string) => form.get(name)?.trim();
  const texts = {
    name: line('name'),
    group: line('group'),
    owner: line('owner'),
    // Browsers send CR LF for every line feed.
    description: form.get('description')?.replaceAll('\r\n', '\n'),
    clone_uri: line('clone_uri'),
    landing_rev: line('landing_rev'),
  };
  const sent = Object.entries(texts).filter(([, text]) => text !== undefined);
  return {
    ...Object.fromEntries(sent),
    private: form.has('private'),
    enable_downloads: form.has('enable_downloads'),
  };
}
