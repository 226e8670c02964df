import { AuthenticationError } from '@trunkline/contracts';

/** Returns the error of a caller whose credentials are right, and who may not call from this address. */
export function addressRefused(ip: string): AuthenticationError {
  return new AuthenticationError(`request from IP:${ip} not allowed`);
}

/** Returns whether an error of this gateway or of a worker is that of `addressRefused`. */
export function isAddressRefused(error: unknown, ip: string): error is AuthenticationError {
  return error instanceof AuthenticationError && error.message === addressRefused(ip).message;
}
