import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import forge from 'node-forge'
import { describe, expect, test } from 'vitest'
import { loadMupdf, type PDFObject, type PDFDocument as PdfLibraryDocument } from '../../../src/engines/mupdf.ts'
import { sampleSigner } from '../../../src/generate/assets/sample-signer.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import { checkCms } from '../../../src/media/pdf/signature/cms.ts'
import { decode } from '../../../src/media/pdf/signature/der.ts'
import { signPdf } from '../../../src/media/pdf/signature/sign.ts'
import { verifySignatures } from '../../../src/media/pdf/signature/verify.ts'
import signCertificate from '../../../tools/pdf/security/sign-certificate.ts'
import verifyTool from '../../../tools/pdf/security/verify-signatures.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { selfSigned } from '../../helpers/certificate.ts'
import { complaints, makeEncryptedPdf, makePdf } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const mupdf = await loadMupdf()
const PASSWORD = 'quite secret'
const signer = sampleSigner('Ada Löwe', PASSWORD)
const certificate = join(folder, 'signer.p12')
writeFileSync(certificate, signer.pkcs12)
const trust = join(folder, 'authority.pem')
writeFileSync(trust, signer.authority)

async function signed(name: string, source: Uint8Array, settings: Record<string, unknown> = {}) {
  const path = writePdf(folder, `${name}.pdf`, source)
  const { paths, report } = await run(
    signCertificate,
    folder,
    [path],
    { password: PASSWORD, ...settings },
    { secondary: { certificate } },
  )
  const bytes = readFileSync(paths[0]!)
  expect(await complaints(bytes)).toEqual([])
  // The source is the beginning of the result.
  expect(bytes.subarray(0, source.length).equals(Buffer.from(source))).toBe(true)
  return { bytes, path: paths[0]!, report }
}

async function checked(bytes: Uint8Array, trusted: readonly X509Certificate[] = []) {
  const document = await openPdf(bytes)
  const reports = await verifySignatures(document, Buffer.from(bytes), trusted)
  document.close()
  return reports
}

/** What Poppler says of the signatures, one line each; undefined where it is missing. */
function poppler(path: string): string[] | undefined {
  try {
    return execFileSync('pdfsig', [path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => /Signature Validation|otal document signed|Common Name/.test(line))
      .map((line) => line.replace(/^\s*- (?:Signer Certificate Common Name: |Signature Validation: )?/, ''))
  } catch {
    return undefined
  }
}

describe('sign-certificate', () => {
  test('two signatures, the first of which stays valid; another reader agrees', async () => {
    const first = await signed('first', await makePdf({ pages: 2 }), { reason: 'Geprüft', location: 'Zürich' })
    expect(first.report).toMatchObject({ field: 'Signature1', signer: 'Ada Löwe', signatures: 1 })
    const second = await signed('second', first.bytes, { place: '2 10% 80% 60 30' })
    expect(second.report).toMatchObject({ field: 'Signature2', signatures: 2 })
    const [one, two] = await checked(second.bytes, [new X509Certificate(signer.authority)])
    expect(one).toMatchObject({
      field: 'Signature1',
      kind: 'PAdES',
      signer: 'Ada Löwe',
      issuer: 'Example authority',
      reason: 'Geprüft',
      location: 'Zürich',
      valid: true,
      digestAlgorithm: 'sha256',
      coversWholeDocument: false,
      changedSince: true,
      certificateIsSigned: true,
      chain: { isTrusted: true, isExpired: false, subjects: ['Ada Löwe', 'Example authority'] },
    })
    expect(two).toMatchObject({ valid: true, coversWholeDocument: true, changedSince: false })
    const valid = ['Ada Löwe', 'Signature is Valid.']
    const other = poppler(second.path)
    if (other && !other.some((line) => line.includes('Unknown')))
      expect(other).toEqual([
        valid[0],
        'Not total document signed',
        valid[1],
        valid[0],
        'Total document signed',
        valid[1],
      ])
    // The frame of the visible signature: 20 to 80 points from the left, 240 to 270 from the top.
    const shown = await openPdf(second.bytes)
    const { width, data } = await renderPage(shown, 2, { dpi: 72 })
    shown.close()
    const value = (x: number, y: number) => data[(y * width + x) * 3]!
    expect([value(20, 255) < 200, value(79, 255) < 200, value(50, 240) < 200, value(10, 255)]).toEqual([
      true,
      true,
      true,
      255,
    ])
  })

  test('OpenSSL verifies the signature, with the trusted authority alone, and refuses another content', async () => {
    const { bytes } = await signed('openssl', await makePdf())
    const range = /\/ByteRange\[0 (\d+) (\d+) (\d+)\s*\]/.exec(bytes.toString('latin1'))!.slice(1).map(Number)
    const [length, second, rest] = range as [number, number, number]
    const file = (name: string, content: Uint8Array): string => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    const encoded = Buffer.from(bytes.toString('latin1', length + 1, second - 1), 'hex')
    const content = Buffer.concat([bytes.subarray(0, length), bytes.subarray(second, second + rest)])
    const signature = file('signature.der', encoded.subarray(0, decode(encoded).whole.length))
    const verify = (name: string, signedBytes: Uint8Array): number | null => {
      const given = [
        '-in',
        signature,
        '-content',
        file(name, signedBytes),
        '-CAfile',
        trust,
        '-out',
        join(folder, 'out'),
      ]
      const { status, error } = spawnSync('openssl', [
        'cms',
        '-verify',
        '-inform',
        'DER',
        '-binary',
        '-purpose',
        'any',
        ...given,
      ])
      // Where OpenSSL is missing, Poppler and our own check remain.
      return error ? null : status
    }
    const results = [verify('content', content), verify('other', Buffer.concat([content, Buffer.from('x')]))]
    if (results[0] !== null) expect(results).toEqual([0, 4])
  })

  test('keys of ECDSA, and files with the older cipher', async () => {
    const { key, certificate: pem } = selfSigned('Elliptic', 'ec')
    const identity = { key: createPrivateKey(key), certificate: new X509Certificate(pem), others: [] }
    const bytes = await signPdf(await makePdf(), identity, { lines: [], time: new Date() })
    expect(await checked(bytes, [identity.certificate])).toMatchObject([
      { valid: true, signer: 'Elliptic', chain: { isTrusted: true } },
    ])
    const old = join(folder, 'old.p12')
    writeFileSync(old, sampleSigner('Old', PASSWORD, '3des').pkcs12)
    const path = writePdf(folder, 'old.pdf', await makePdf())
    const { report } = await run(
      signCertificate,
      folder,
      [path],
      { password: PASSWORD },
      { secondary: { certificate: old } },
    )
    expect(report).toMatchObject({ signer: 'Old' })
  })

  test('a wrong password, another file, a locked document and a used field are refused without the password', async () => {
    const path = writePdf(folder, 'refused.pdf', await makePdf({ formField: { name: 'text', value: '' } }))
    const other = writePdf(folder, 'other.p12', Buffer.from('no certificate'))
    const locked = writePdf(folder, 'locked.pdf', await makeEncryptedPdf('', 'own'))
    const cases: Array<[string, Record<string, unknown>, string, string]> = [
      [path, { password: 'WRONG-ONE' }, certificate, 'WRONG_PASSWORD'],
      [path, { password: PASSWORD }, other, 'INVALID_FILE'],
      [path, { password: PASSWORD, field: 'text' }, certificate, 'TARGET_UNREACHABLE'],
      [path, { password: PASSWORD, place: '9 0 0 10 10' }, certificate, 'TARGET_UNREACHABLE'],
      [path, { password: PASSWORD, place: '1-2 0 0 10 10' }, certificate, 'INVALID_SETTINGS'],
      [locked, { password: PASSWORD }, certificate, 'TARGET_UNREACHABLE'],
    ]
    for (const [input, settings, file, code] of cases) {
      const failure = await run(signCertificate, folder, [input], settings, { secondary: { certificate: file } }).then(
        () => undefined,
        (error: unknown) => error as { code: string },
      )
      expect(failure).toMatchObject({ code })
      expect(JSON.stringify(failure)).not.toMatch(/WRONG-ONE|quite secret/)
    }
  })
})

describe('verify-signatures', () => {
  async function verified(name: string, bytes: Uint8Array, secondary: Record<string, string> = {}) {
    const { report, warnings } = await run(
      verifyTool,
      folder,
      [writePdf(folder, `${name}.pdf`, bytes)],
      {},
      { secondary },
    )
    return { report: report as { allValid: boolean; signatures: Array<Record<string, unknown>> }, warnings }
  }

  test('changes of one byte, added content, and another authority are reported', async () => {
    const { bytes } = await signed('original', await makePdf({ texts: ['Pay 100'] }))
    expect((await verified('good', bytes, { trust })).warnings).toEqual([])
    const changed = Buffer.from(bytes)
    const at = changed.indexOf('/MediaBox')
    changed[at + 12] = changed[at + 12] === 0x30 ? 0x31 : 0x30
    const bad = await verified('changed', changed)
    expect(bad.report.signatures).toMatchObject([{ valid: false, digestValid: false, signatureValid: true }])
    expect(bad.warnings[0]).toContain('The signed content was changed')
    const extended = await verified('extended', Buffer.concat([bytes, Buffer.from('\n% more\n')]))
    expect(extended.report.signatures).toMatchObject([{ valid: true, coversWholeDocument: false, changedSince: true }])
    expect(extended.warnings).toEqual([
      expect.stringContaining('Who signed was not checked'),
      'The document was changed after it was signed',
    ])
    const stranger = join(folder, 'stranger.pem')
    writeFileSync(stranger, selfSigned('Example authority').certificate)
    const { warnings, report } = await verified('stranger', bytes, { trust: stranger })
    expect(report.signatures).toMatchObject([{ valid: true, chain: { isTrusted: false } }])
    expect(warnings).toEqual(['1 signature not from a trusted authority: Signature1'])
  })

  test('a signature of another key, and ranges that leave something out, are not valid', async () => {
    const { bytes } = await signed('ranges', await makePdf())
    const text = bytes.toString('latin1')
    const range = /\/ByteRange\[0 (\d+) (\d+) (\d+)\s*\]/.exec(text)
    expect(range).not.toBeNull()
    const [whole = '', first, second, rest] = range ?? []
    // One more byte in the gap: it could hold anything.
    const wider = `/ByteRange[0 ${Number(first) - 1} ${second} ${rest}`.padEnd(whole.length - 1)
    const forged = Buffer.from(text.replace(whole, `${wider}]`), 'latin1')
    expect(await checked(forged)).toMatchObject([{ valid: false, problem: expect.stringContaining('signed ranges') }])
    // The signature value is the last octet string; its last bytes are before the zeros.
    const gap = text.slice(Number(first) + 1, Number(second) - 1)
    const length = decode(Buffer.from(gap, 'hex')).whole.length
    const wrong = Buffer.from(bytes)
    const last = Number(first) + 1 + length * 2 - 1
    wrong[last] = wrong[last] === 0x30 ? 0x31 : 0x30
    expect(await checked(wrong)).toMatchObject([{ valid: false, digestValid: true, signatureValid: false }])
    const broken = Buffer.from(bytes)
    broken.write('ffff', Number(first) + 1, 'latin1')
    expect(await checked(broken)).toMatchObject([{ valid: false, problem: expect.stringContaining('cannot be read') }])
  })

  test('a later revision changes nothing of what is reported, and gives the signature to no other field', async () => {
    const { bytes } = await signed('facts', await makePdf(), { reason: 'Read', location: 'Bern' })
    const changed = (change: (pdf: PdfLibraryDocument, signature: PDFObject) => void): Buffer => {
      const pdf = mupdf.PDFDocument.openDocument(bytes, 'application/pdf') as PdfLibraryDocument
      change(pdf, pdf.getTrailer().get('Root', 'AcroForm', 'Fields', 0, 'V'))
      const buffer = pdf.saveToBuffer('incremental')
      const result = Buffer.from(buffer.asUint8Array())
      pdf.destroy()
      expect(result.subarray(0, bytes.length).equals(bytes)).toBe(true)
      return result
    }
    const reason = changed((pdf, signature) => void signature.put('Reason', pdf.newString('I owe a million')))
    expect(await checked(reason)).toMatchObject([{ valid: true, reason: 'Read', changedSince: true }])
    const other = changed((pdf, signature) => {
      const copy = pdf.addObject({ Type: 'Sig', SubFilter: 'ETSI.CAdES.detached', Reason: pdf.newString('Approved') })
      for (const key of ['ByteRange', 'Contents']) copy.put(key, signature.get(key))
      const field = pdf.addObject({ FT: 'Sig', T: pdf.newString('Director'), V: copy })
      pdf.getTrailer().get('Root', 'AcroForm', 'Fields').push(field)
    })
    expect(await checked(other)).toMatchObject([
      { field: 'Signature1', valid: true, reason: 'Read' },
      { field: 'Director', valid: false, problem: expect.stringContaining('another field has it') },
    ])
    const empty = changed((pdf, signature) => void signature.put('Contents', pdf.newByteString(Uint8Array.of(0))))
    expect(await checked(empty)).toMatchObject([
      { valid: false, problem: expect.stringContaining('another signature') },
    ])
    // Programs that send files may add the end of a line.
    const { warnings, report } = await verified('newline', Buffer.concat([bytes, Buffer.from('\n')]), { trust })
    expect(warnings).toEqual([])
    expect(report.signatures).toMatchObject([{ valid: true, changedSince: false }])
  })

  test('a certificate that was not valid at the time of signing is a warning', async () => {
    const { certificate: pem, key } = selfSigned('Late', 'ec')
    const identity = { key: createPrivateKey(key), certificate: new X509Certificate(pem), others: [] }
    const bytes = await signPdf(await makePdf(), identity, { lines: [], time: new Date(Date.UTC(2055, 0, 1)) })
    const late = join(folder, 'late.pem')
    writeFileSync(late, pem)
    const { warnings, report } = await verified('late', Buffer.from(bytes), { trust: late })
    expect(report.signatures).toMatchObject([{ valid: true, chain: { isTrusted: true, isExpired: true } }])
    expect(warnings).toEqual(['1 signature with a certificate that was not valid at the time of signing: Signature1'])
  })

  test('content inside a signature is valid only for the older kind, of which it is the SHA-1', () => {
    const keys = forge.pki.rsa.generateKeyPair(2048)
    const made = forge.pki.createCertificate()
    made.publicKey = keys.publicKey
    made.serialNumber = '01'
    made.setSubject([{ name: 'commonName', value: 'Ada' }])
    made.setIssuer([{ name: 'commonName', value: 'Ada' }])
    made.sign(keys.privateKey, forge.md.sha256.create())
    const document = Buffer.from('signed bytes')
    const of = (content: Buffer): Buffer => {
      const message = forge.pkcs7.createSignedData()
      message.content = forge.util.createBuffer(content.toString('latin1'))
      message.addCertificate(made)
      const { contentType, messageDigest, data, sha256 } = forge.pki.oids
      const authenticatedAttributes = [
        { type: contentType as string, value: data as string },
        { type: messageDigest as string },
      ]
      message.addSigner({
        key: keys.privateKey,
        certificate: made,
        digestAlgorithm: sha256 as string,
        authenticatedAttributes,
      })
      message.sign()
      return Buffer.from(forge.asn1.toDer(message.toAsn1()).getBytes(), 'latin1')
    }
    const inside = of(createHash('sha1').update(document).digest())
    expect(checkCms(inside, document, true)).toMatchObject({ isDigestValid: true, isSignatureValid: true })
    expect(checkCms(inside, document)).toMatchObject({ isDigestValid: false, isSignatureValid: true })
    expect(checkCms(of(document), document, true)).toMatchObject({ isDigestValid: false, isSignatureValid: true })
  })

  test('a document without signatures', async () => {
    const { report, warnings } = await verified('none', await makePdf())
    expect(report).toEqual({ signatures: [], allValid: false })
    expect(warnings).toEqual([expect.stringContaining('has no signatures')])
  })

  test('structures that are too deep, or cut, are errors', () => {
    expect(() => decode(Buffer.alloc(5000, Buffer.from([0x30, 0x80])))).toThrow('too deep')
    expect(() => decode(Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff]))).toThrow('cut')
  })
})
