export { startApp, type AppOptions, type RunningApp } from './app/start-app.ts';
export { localConfigEntries, natsServerPath } from './config.ts';
export { createDatabase, createOwnedDatabase } from './postgres/create-owned-database.ts';
export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres/start-postgres.ts';
export { findFreePort } from './process/ports.ts';
export { guardedSpawn } from './process/guarded-spawn.ts';
export { startNats, type NatsOptions, type NatsServer } from './nats/start-nats.ts';
export { StartError } from './start-error.ts';
