import { isForeignKeyViolation } from '@trunkline/db';

/** Retries once after a foreign-key violation: an object that was deleted in between is then reported as missing. */
export async function retryOnForeignKeyViolation<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return attempt();
  }
}
