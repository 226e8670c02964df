import { ForbiddenError } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { RefusalText } from '../../form/fields.tsx';
import type { Refusal } from '../../form/rerender-on-error.ts';
import { pathTo } from '../../http/path-segments.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import type { Visit } from '../../visit.ts';
import { readHead, type RepositoryHead } from '../head/repository-head.ts';
import type { PageAddress } from '../repository-page.ts';

const sections = {
  general: { title: 'General', path: [] },
  permissions: { title: 'Permissions', path: ['permissions'] },
  maintenance: { title: 'Maintenance', path: ['maintenance'] },
  delete: { title: 'Delete', path: ['delete'] },
} as const;

type Section = keyof typeof sections;

/** Returns the path of a settings page, to which its forms are posted, too. */
export function settingsPath(name: string, section: Section): string {
  return pathTo(name, 'settings', ...sections[section].path);
}

/**
 * Reads the head of a repository whose settings the visitor may see. Throws ForbiddenError for any other visitor. The
 * methods check what the visitor may change.
 */
export async function readAdministered(visit: Visit, address: PageAddress): Promise<RepositoryHead> {
  const repository = await readHead(visit, address);
  if (repository.level !== 'admin') throw new ForbiddenError('Access was denied to this resource.');
  return repository;
}

interface Shown {
  readonly section: Section;
  readonly repository: RepositoryHead;
  readonly refusal: Refusal | null;
  readonly children: Child;
}

/** Renders a page of a repository's settings beside links to the other settings pages. */
export function showSettings(visit: Visit, address: PageAddress, { section, repository, refusal, children }: Shown) {
  const links = Object.keys(sections).filter((key): key is Section => key in sections);
  return showRepositoryPage(visit, address, {
    title: `Settings: ${sections[section].title}`,
    tab: 'settings',
    status: refusal?.status ?? 200,
    repository,
    children: (
      <div class="sidebar-layout">
        <nav class="sidebar" aria-label="Settings">
          {links.map((key) => (
            <a href={settingsPath(repository.repo_name, key)} {...(key === section ? { 'aria-current': 'page' } : {})}>
              {sections[key].title}
            </a>
          ))}
        </nav>
        <div>
          <h2>{sections[section].title}</h2>
          <RefusalText refusal={refusal} />
          {children}
        </div>
      </div>
    ),
  });
}
