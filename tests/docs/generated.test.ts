import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gatewaySettings } from '../../apps/gateway/src/config.ts';
import { workerSettings } from '../../apps/vcs-worker/src/config.ts';
import { localConfigEntries } from '../../infra/local/src/config.ts';
import { readExamples } from './example-file.ts';
import { renderBusPermissions } from './render-bus-permissions.ts';
import { renderGrants, renderRoles } from './render-database-roles.ts';
import { renderMethods } from './render-methods.ts';
import { renderSecurityRows, testsOfRows } from './render-security-rows.ts';
import { renderExample, renderSettings } from './render-settings.ts';

const update = process.env['UPDATE_DOCS'] !== undefined;
const fileAt = (path: string) => new URL(`../../${path}`, import.meta.url);

function expectFile(path: string, expected: string): void {
  if (update) writeFileSync(fileAt(path), expected);
  expect(readFileSync(fileAt(path), 'utf8')).toBe(expected);
}

/** Compares the part of a document between the marks of this name with the expected text, or writes that text. */
function expectPart(path: string, name: string, expected: string): void {
  const text = readFileSync(fileAt(path), 'utf8');
  const [open, close] = [`<!-- ${name} -->\n\n`, `\n\n<!-- end of ${name} -->`];
  const from = text.indexOf(open) + open.length;
  const to = text.indexOf(close);
  expect(from).toBeGreaterThan(open.length - 1);
  expect(to).toBeGreaterThan(0);
  if (update) writeFileSync(fileAt(path), text.slice(0, from) + expected + text.slice(to));
  expect(update ? expected : text.slice(from, to)).toBe(expected);
}

describe('generated parts of the documentation match the code', () => {
  it('docs/methods.md', () => expectFile('docs/methods.md', renderMethods(readExamples())));

  it('infra/nats/permissions.conf', () => expectFile('infra/nats/permissions.conf', renderBusPermissions()));

  it('infra/postgres/roles.sql', () => expectFile('infra/postgres/roles.sql', renderRoles()));

  it('infra/postgres/grants.sql', () => expectFile('infra/postgres/grants.sql', renderGrants()));

  it('.env.example', () => {
    expectFile('.env.example', renderExample([gatewaySettings, workerSettings, localConfigEntries]));
  });

  it.each([
    ['variables of npm start', localConfigEntries],
    ['variables of the gateway', gatewaySettings],
    ['variables of the worker', workerSettings],
  ])('docs/running.md, %s', (name, settings) => expectPart('docs/running.md', name, renderSettings(settings)));

  it('docs/security.md, every row with its tests', () => {
    expectPart('docs/security.md', 'rows', renderSecurityRows());
    expect([...testsOfRows()].filter(([, files]) => files.length === 0)).toEqual([]);
  });
});
