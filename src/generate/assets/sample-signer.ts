import forge from 'node-forge'

/** A signer for examples, with the authority that issued the certificate. */
export interface SampleSigner {
  /** PKCS#12 with the key and both certificates. */
  pkcs12: Buffer
  /** The certificate of the authority, PEM. */
  authority: string
}

const VALID_FROM = new Date(Date.UTC(2026, 0, 1))
const VALID_TO = new Date(Date.UTC(2045, 11, 31))

/** Makes keys, an authority, and a certificate for a name. */
export function sampleSigner(name: string, password: string, cipher: 'aes256' | '3des' = 'aes256'): SampleSigner {
  const root = forge.pki.rsa.generateKeyPair(2048)
  const keys = forge.pki.rsa.generateKeyPair(2048)
  const certificate = (subject: string, serial: string, publicKey: forge.pki.PublicKey, isAuthority: boolean) => {
    const made = forge.pki.createCertificate()
    made.publicKey = publicKey
    made.serialNumber = serial
    made.validity.notBefore = VALID_FROM
    made.validity.notAfter = VALID_TO
    made.setSubject([{ name: 'commonName', value: subject, valueTagClass: forge.asn1.Type.UTF8 as never }])
    made.setIssuer([{ name: 'commonName', value: 'Example authority', valueTagClass: forge.asn1.Type.UTF8 as never }])
    const usage = isAuthority ? { keyCertSign: true, cRLSign: true } : { digitalSignature: true, nonRepudiation: true }
    made.setExtensions([
      { name: 'basicConstraints', cA: isAuthority },
      { name: 'keyUsage', critical: true, ...usage },
    ])
    made.sign(root.privateKey, forge.md.sha256.create())
    return made
  }
  const authority = certificate('Example authority', '01', root.publicKey, true)
  const own = certificate(name, '02', keys.publicKey, false)
  const file = forge.pkcs12.toPkcs12Asn1(keys.privateKey, [own, authority], password, { algorithm: cipher })
  return {
    pkcs12: Buffer.from(forge.asn1.toDer(file).getBytes(), 'latin1'),
    authority: forge.pki.certificateToPem(authority),
  }
}
