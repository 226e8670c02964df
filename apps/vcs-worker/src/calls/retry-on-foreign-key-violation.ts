import { isForeignKeyViolation } from '@trunkline/db';

/** An object that went between being found and being referred to is looked for again, and then missed properly. */
export async function retryOnForeignKeyViolation<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return attempt();
  }
}
