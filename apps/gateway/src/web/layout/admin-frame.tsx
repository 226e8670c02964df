import type { Child } from 'hono/jsx';
import type { Visit } from '../visit.ts';
import { PartLinks, partLinks, partPath, type TabbedPages } from './tabbed-pages.tsx';
import { showPage } from './page.tsx';

const sections = {
  users: 'Users',
  user_groups: 'User groups',
  repo_groups: 'Repository groups',
  permissions: 'Permissions',
  'permissions/ips': 'IP restrictions',
  deleted: 'Deleted repositories',
  operations: 'Operations',
  audit_log: 'Audit log',
  consistency: 'Consistency',
  storages: 'Storages',
  cluster: 'Cluster',
  server: 'Server',
} as const;

type AdminSection = keyof typeof sections;

export function adminPath(section: AdminSection): string {
  return `/_admin/${section}`;
}

interface AdminPage {
  readonly section: AdminSection;
  /** The heading of the page; by default that of `tabbed`, or else the section's title. */
  readonly heading?: string;
  readonly tabbed?: { readonly of: TabbedPages; readonly part: string };
  /** Content beside the heading, such as a link. */
  readonly action?: Child;
  readonly status?: number;
  readonly children: Child;
}

function AdminFrame({ section, heading, tabbed, action, children }: AdminPage) {
  const links = Object.entries(sections).map(([one, title]) => [title, `/_admin/${one}`] as const);
  return (
    <div class="sidebar-layout">
      <PartLinks className="sidebar" label="Administration" links={links} current={adminPath(section)} />
      <div>
        <div class="title admin-head">
          <h1>{heading}</h1>
          {action !== undefined && <p class="actions">{action}</p>}
        </div>
        {tabbed && (
          <PartLinks
            className="tabs"
            label={tabbed.of.heading}
            links={partLinks(tabbed.of)}
            current={partPath(tabbed.of, tabbed.part)}
          />
        )}
        <div class="part">{children}</div>
      </div>
    </div>
  );
}

/** Renders a page of the administration beside links to its sections. */
export function showAdminPage(visit: Visit, { status = 200, ...page }: AdminPage): Response {
  const { section, tabbed } = page;
  const heading = page.heading ?? tabbed?.of.heading ?? sections[section];
  const part = tabbed && `${tabbed.of.parts[tabbed.part] ?? ''} · `;
  return showPage(visit, {
    title: `${part ?? ''}${heading}`,
    section: 'admin',
    status,
    children: <AdminFrame {...page} heading={heading} />,
  });
}
