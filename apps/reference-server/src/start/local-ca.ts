import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import * as x509 from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const tenYearsMs = 10 * 365 * 24 * 60 * 60 * 1000
// Apple and Chromium refuse server certificates that are valid for longer than 825 days.
const serverCertificateMs = 800 * 24 * 60 * 60 * 1000
const clockSlackMs = 60 * 60 * 1000

/** A private CA for this machine with one server certificate for `localhost`, as PEM. */
export interface LocalCertificates {
  readonly caPem: string
  readonly certificatePem: string
  readonly privateKeyPem: string
}

/**
 * Creates a CA and a certificate for `localhost`, `127.0.0.1` and `::1`, for local development.
 *
 * The private key of the CA is not stored, so the CA cannot sign anything else.
 *
 * @param host Loopback address that the certificate names too.
 */
export async function createLocalCertificates(now: Date, host = '127.0.0.1'): Promise<LocalCertificates> {
  const addresses = new Set(['127.0.0.1', '::1', host])
  const { subtle } = globalThis.crypto
  const notBefore = new Date(now.getTime() - clockSlackMs)
  const caKeys = await subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=kyc-relay local development CA',
    notBefore,
    notAfter: new Date(now.getTime() + tenYearsMs),
    signingAlgorithm: algorithm,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  })
  const serverKeys = await subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const server = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=localhost',
    issuer: ca.subject,
    notBefore,
    notAfter: new Date(now.getTime() + serverCertificateMs),
    signingAlgorithm: algorithm,
    publicKey: serverKeys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        ...[...addresses].map((value) => ({ type: 'ip', value }) as const),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(serverKeys.publicKey),
    ],
  })
  const privateKey = await subtle.exportKey('pkcs8', serverKeys.privateKey)
  return {
    caPem: `${ca.toString('pem')}\n`,
    certificatePem: `${server.toString('pem')}\n${ca.toString('pem')}\n`,
    privateKeyPem: `${x509.PemConverter.encode(privateKey, 'PRIVATE KEY')}\n`,
  }
}

/** 128 random bits, positive (RFC 5280 §4.1.2.2). */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0] ?? 0) & 0x7f
  return bytes.toString('hex')
}
