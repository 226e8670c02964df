import { findMethod, MethodNotFoundError, type Method } from '@trunkline/contracts';

export function requireMethod(sent: unknown): Method {
  if (typeof sent === 'string' && sent.startsWith('_')) throw new MethodNotFoundError('Method not allowed');
  const method = typeof sent === 'string' ? findMethod(sent) : undefined;
  if (method) return method;
  throw new MethodNotFoundError(`No such method: ${typeof sent === 'string' ? sent : JSON.stringify(sent)}`);
}
