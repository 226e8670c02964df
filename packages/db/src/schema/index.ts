export * from './audit-log.ts';
export * from './operations.ts';
export * from './permissions.ts';
export * from './refusals.ts';
export * from './repositories.ts';
export * from './sessions.ts';
export * from './user-groups.ts';
export * from './users.ts';
