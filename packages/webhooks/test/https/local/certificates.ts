import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

x509.cryptoProvider.set(webcrypto as Crypto)

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 86_400_000

/** A certificate and its key, PEM. */
export interface KeyPairPem {
  readonly certPem: string
  readonly keyPem: string
}

/** An authority of the tests' own. */
export interface TestAuthority {
  readonly caPem: string
  issue(options?: {
    readonly names?: readonly string[]
    readonly notBefore?: Date
    readonly notAfter?: Date
  }): Promise<KeyPairPem>
}

async function newKeys(): Promise<CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

async function keyPem(keys: CryptoKeyPair): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return x509.PemConverter.encode(der, 'PRIVATE KEY')
}

export async function createTestAuthority(name = 'CN=kyc-relay test authority'): Promise<TestAuthority> {
  const keys = await newKeys()
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  let serial = 1
  return {
    caPem: ca.toString('pem'),
    async issue({ names = ['localhost'], notBefore, notAfter } = {}) {
      const leaf = await newKeys()
      serial += 1
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serial.toString(16).padStart(2, '0'),
        subject: `CN=${names[0]}`,
        issuer: name,
        notBefore: notBefore ?? new Date(Date.now() - dayMs),
        notAfter: notAfter ?? new Date(Date.now() + dayMs),
        signingKey: keys.privateKey,
        publicKey: leaf.publicKey,
        signingAlgorithm: algorithm,
        extensions: [
          new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        ],
      })
      return { certPem: certificate.toString('pem'), keyPem: await keyPem(leaf) }
    },
  }
}
