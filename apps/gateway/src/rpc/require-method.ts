import { findMethod, MethodNotFoundError, type Method } from '@trunkline/contracts';

/** Finds a method by its name or an alias; throws MethodNotFoundError for any other value. */
export function requireMethod(sent: unknown): Method {
  if (typeof sent === 'string' && sent.startsWith('_')) throw new MethodNotFoundError('Method not allowed');
  const method = typeof sent === 'string' ? findMethod(sent) : undefined;
  if (method) return method;
  throw new MethodNotFoundError(`No such method: ${typeof sent === 'string' ? sent : JSON.stringify(sent)}`);
}
