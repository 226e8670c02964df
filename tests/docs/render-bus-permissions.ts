import { busPermissions } from '@trunkline/contracts';

function list(name: string, subjects: readonly string[]): string[] {
  return [`  ${name} = [`, ...subjects.map((subject) => `    "${subject}"`), '  ]'];
}

/** Renders `infra/nats/permissions.conf`: the permissions of the users of the bus. */
export function renderBusPermissions(): string {
  const blocks = Object.entries(busPermissions).map(([user, { publish, subscribe }]) =>
    [`${user}_permissions {`, ...list('publish', publish), ...list('subscribe', subscribe), '}'].join('\n'),
  );
  return `# Written from packages/contracts/src/subjects.ts: UPDATE_DOCS=1 npx vitest run --project unit tests/docs\n\n${blocks.join('\n\n')}\n`;
}
