import { isForeignKeyViolation } from '@trunkline/db';

/** Repeats an attempt once after a foreign-key violation: then it reports the object deleted in between as missing. */
export async function retryOnForeignKeyViolation<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return attempt();
  }
}
