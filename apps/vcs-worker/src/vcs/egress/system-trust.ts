import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';

const bundles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];

function readTrust(): SecureContext {
  for (const bundle of bundles) {
    try {
      return createSecureContext({ ca: readFileSync(bundle) });
    } catch {
      // This system keeps its certificate bundle at another path.
    }
  }
  return createSecureContext();
}

let known: SecureContext | undefined;

/**
 * Returns a TLS context that trusts the certificate authorities of the system, as git does, else Node's own. It is made for
 * the first remote that needs it, since that takes as long as a quarter of a worker's start.
 */
export function systemTrust(): SecureContext {
  return (known ??= readTrust());
}
