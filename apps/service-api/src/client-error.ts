/** Decision 40; a configuration file that cannot be written counts as usage. */
export const exitCodes = { success: 0, serviceError: 1, usage: 2, network: 3 } as const;

/** The command line, the environment or the configuration file cannot be used. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The service could not be reached, or what answered is not the service. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}
