import { findOperation, MethodNotFoundError, type Operation } from '@trunkline/contracts';

export function requireOperation(method: unknown): Operation {
  if (typeof method === 'string' && method.startsWith('_')) throw new MethodNotFoundError('Method not allowed');
  const operation = typeof method === 'string' ? findOperation(method) : undefined;
  if (operation) return operation;
  throw new MethodNotFoundError(`No such method: ${typeof method === 'string' ? method : JSON.stringify(method)}`);
}
