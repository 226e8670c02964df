import { describe, expect, it } from 'vitest';
import { gatewaySettings } from '../../apps/gateway/src/config.ts';
import { workerSettings } from '../../apps/vcs-worker/src/config.ts';
import { localConfigEntries } from '../../infra/local/src/config.ts';
import { renderDashboard } from './dashboard/render-dashboard.ts';
import { readExamples } from './example-file.ts';
import { expectFile, expectPart } from './expect-part.ts';
import { renderBusPermissions } from './render-bus-permissions.ts';
import { renderGrants, renderRoles } from './render-database-roles.ts';
import { renderMethods } from './render-methods.ts';
import { renderSecurityRows, testsOfRows } from './render-security-rows.ts';
import { renderExample, renderSettings, settingsOf } from './render-settings.ts';
import { renderTrunklinectl } from './render-trunklinectl.ts';

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
