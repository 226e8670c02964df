import { ForbiddenError, levels, reaches } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { RefusalText } from '../../form/fields.tsx';
import type { Refusal } from '../../form/form-route.ts';
import { pathTo } from '../../http/path-segments.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import type { Visit } from '../../visit.ts';
import { hasBranches, readHead, type RepositoryHead } from '../repository-head.ts';
import type { PageAddress } from '../repository-page.ts';

/** The pages of settings, each with the level that its changes need. */
const sections = {
  general: { title: 'General', path: [], level: 'admin' },
  permissions: { title: 'Permissions', path: ['permissions'], level: 'admin' },
  branch: { title: 'Default branch', path: ['branch'], level: 'write' },
  maintenance: { title: 'Maintenance', path: ['maintenance'], level: 'admin' },
  delete: { title: 'Delete', path: ['delete'], level: 'admin' },
} as const;

type Section = keyof typeof sections;

/** Returns the path of a settings page, to which its forms are posted, too. */
export function settingsPath(name: string, section: Section): string {
  return pathTo(name, 'settings', ...sections[section].path);
}

/**
 * Reads the head of a repository for one of its settings pages. Throws ForbiddenError for a visitor who may not see that
 * page. The methods check what the visitor may change.
 */
export async function readForSettings(visit: Visit, address: PageAddress, section: Section): Promise<RepositoryHead> {
  const repository = await readHead(visit, address);
  if (!reaches(levels[repository.level], sections[section].level)) {
    throw new ForbiddenError('Access was denied to this resource.');
  }
  return repository;
}

/** Returns the settings pages with something for the visitor. */
function sectionsFor(repository: RepositoryHead): Section[] {
  const level = levels[repository.level];
  return Object.keys(sections)
    .filter((key): key is Section => key in sections)
    .filter((key) => reaches(level, sections[key].level) && (key !== 'branch' || hasBranches(repository)));
}

interface Shown {
  readonly section: Section;
  readonly repository: RepositoryHead;
  readonly refusal: Refusal | null;
  readonly children: Child;
}

/** Renders a page of a repository's settings beside links to the other settings pages. */
export function showSettings(visit: Visit, address: PageAddress, { section, repository, refusal, children }: Shown) {
  return showRepositoryPage(visit, address, {
    title: `Settings: ${sections[section].title}`,
    tab: 'settings',
    status: refusal?.status ?? 200,
    repository,
    children: (
      <div class="sidebar-layout">
        <nav class="sidebar" aria-label="Settings">
          {sectionsFor(repository).map((key) => (
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
