import { busPermissions } from '@trunkline/contracts';
import type { Settings } from '@trunkline/runtime';
import { describe, expect, it } from 'vitest';
import {
  describeCommands,
  type DescribedOption,
  describeOptions,
} from '../../apps/trunklinectl/src/commands/print-completion.ts';
import { createProgram } from '../../apps/trunklinectl/src/run.ts';
import { gatewaySettings } from '../../apps/gateway/src/config.ts';
import { workerSettings } from '../../apps/vcs-worker/src/config.ts';
import { localConfigEntries } from '../../infra/local/src/config.ts';
import { renderDashboard } from './dashboard/render-dashboard.ts';
import { readExamples } from './example-file.ts';
import { expectFile, expectPart } from './expect-part.ts';
import { renderGrants, renderRoles } from './render-database-roles.ts';
import { renderMethods } from './render-methods.ts';
import { renderSecurityRows, testsOfRows } from './render-security-rows.ts';

function list(name: string, subjects: readonly string[]): string[] {
  return [`  ${name} = [`, ...subjects.map((subject) => `    "${subject}"`), '  ]'];
}

/** Renders `infra/nats/permissions.conf`: the permissions of the users of the bus. */
function renderBusPermissions(): string {
  const blocks = Object.entries(busPermissions).map(([user, { publish, subscribe }]) =>
    [`${user}_permissions {`, ...list('publish', publish), ...list('subscribe', subscribe), '}'].join('\n'),
  );
  return `# Written from packages/contracts/src/subjects.ts: UPDATE_DOCS=1 npx vitest run --project unit tests/docs\n\n${blocks.join('\n\n')}\n`;
}

/** Renders a table of environment variables for operators. */
function renderSettings(settings: Settings): string {
  const rows = Object.entries(settings).map(([name, { default: fallback, description }]) => {
    const shown = fallback === null ? 'must be set' : fallback === '' ? 'empty' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${description.replaceAll('|', '\\|')} |`;
  });
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** Returns the settings of `own` that are the same in `others`, or those that are not. */
function settingsOf(own: Settings, others: Settings, shared: boolean): Settings {
  const isShared = (name: string) => JSON.stringify(own[name]) === JSON.stringify(others[name]);
  return Object.fromEntries(Object.entries(own).filter(([name]) => isShared(name) === shared));
}

/** Renders `.env.example`: every variable once, commented out, with its default. */
function renderExample(all: readonly Settings[]): string {
  const merged = Object.entries(Object.assign({}, ...all.toReversed()) as Settings);
  const lines = merged
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { default: fallback, description }]) => `# ${description}\n#${name}=${fallback ?? ''}\n`);
  return lines.join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');

const optionRows = (options: readonly DescribedOption[]) =>
  options.map(({ usage, summary }) => `| \`${cell(usage)}\` | ${cell(summary)} |`);

/** Renders the commands of the administrators' program, as its own help lists them. */
function renderTrunklinectl(): string {
  const program = createProgram(() => {});
  const rows = describeCommands(program).flatMap(({ usage, summary, options }) => [
    `| \`${cell(usage)}\` | ${cell(summary)} |`,
    ...optionRows(options),
  ]);
  return [
    '| command and options | |',
    '|---|---|',
    ...rows,
    '',
    '| option before the command | |',
    '|---|---|',
    ...optionRows(describeOptions(program)),
  ].join('\n');
}

describe('generated parts of the documentation match the code', () => {
  it('docs/methods.md', () => expectFile('docs/methods.md', renderMethods(readExamples())));

  it('infra/nats/permissions.conf', () => expectFile('infra/nats/permissions.conf', renderBusPermissions()));

  it('infra/postgres/roles.sql', () => expectFile('infra/postgres/roles.sql', renderRoles()));

  it('infra/postgres/grants.sql', () => expectFile('infra/postgres/grants.sql', renderGrants()));

  it('infra/grafana/trunkline.json', () => expectFile('infra/grafana/trunkline.json', renderDashboard()));

  it('.env.example', () => {
    expectFile('.env.example', renderExample([gatewaySettings, workerSettings, localConfigEntries]));
  });

  it.each([
    ['variables of npm start', localConfigEntries],
    ['variables of gateways and workers', settingsOf(gatewaySettings, workerSettings, true)],
    ['variables of the gateway', settingsOf(gatewaySettings, workerSettings, false)],
    ['variables of the worker', settingsOf(workerSettings, gatewaySettings, false)],
  ])('docs/running/settings.md, %s', (name, settings) =>
    expectPart('docs/running/settings.md', name, renderSettings(settings)),
  );

  it('docs/trunklinectl.md, its commands', () => {
    expectPart('docs/trunklinectl.md', 'commands of trunklinectl', renderTrunklinectl());
  });

  it('docs/security.md, every row with its tests', () => {
    expectPart('docs/security.md', 'rows', renderSecurityRows());
    expect([...testsOfRows()].filter(([, files]) => files.length === 0)).toEqual([]);
  });
});
