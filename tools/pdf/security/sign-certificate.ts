import { readFile, writeFile } from 'node:fs/promises'
import { openPkcs12 } from '../../../src/engines/pkcs12.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { printableName } from '../../../src/media/file.ts'
import { suffixedName } from '../../../src/media/naming.ts'
import { openPdf, openPdfFile } from '../../../src/media/pdf/document.ts'
import { readArea } from '../../../src/media/pdf/redact/areas.ts'
import { commonName } from '../../../src/media/pdf/signature/chain.ts'
import { signPdf } from '../../../src/media/pdf/signature/sign.ts'
import { verifySignatures } from '../../../src/media/pdf/signature/verify.ts'
import { tool } from '../../../src/tool/contract.ts'
import { text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

export default tool({
  section: 'pdf',
  id: 'sign-certificate',
  summary: 'Sign a PDF with a certificate (PAdES), visibly or not; earlier signatures stay valid',
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['pdf'],
    secondary: {
      certificate: { required: true, what: 'a PKCS#12 file with key and certificates: .p12 or .pfx', accept: ['*'] },
    },
  },
  settings: {
    password: text('opens the certificate file', { required: true, maxLength: 256, secret: true }),
    place: text('shows the signature there: page, left, top, width and height in points or % of the page', {
      grammar: 'page-area',
      minLength: 1,
      maxLength: 100,
      example: '1 60% 88% 34% 8%',
    }),
    reason: text('why it is signed', { maxLength: 200, example: 'Approved' }),
    location: text('where it is signed', { maxLength: 200, example: 'Berlin' }),
    field: text('the name of the signature field; an empty one of this name is used', {
      minLength: 1,
      maxLength: 100,
      example: 'Signature1',
    }),
  },
  output: { kind: 'file+report', type: { is: 'pdf' } },
  engines: ['mupdf'],
  naming: { suffix: 'digitally-signed' },
  deterministic: false,
  timeoutS: 120,
  examples: [
    {
      title: 'a signature without a picture',
      secondary: { certificate: 'signer.p12' },
      settings: { password: 'open sesame' },
    },
    {
      title: 'a visible signature',
      secondary: { certificate: 'signer.p12' },
      settings: { password: 'open sesame', place: '1 60% 88% 34% 8%', reason: 'Approved', location: 'Berlin' },
    },
  ],
  check({ place }) {
    if (place === undefined) return
    const { pages } = readArea(place, 0)
    if (pages.includes('-')) throw invalidSettings('Expected one page for place', 'A signature is shown once.')
  },
  async run(job, { password, place, reason, location, field }) {
    const [file] = job.inputs
    const { certificate: source } = job.secondary
    if (!source) throw invalidSettings('Expected a certificate')
    const identity = await openPkcs12(await readFile(source.path), password, printableName(source.name))
    const time = new Date()
    const { certificate } = identity
    if (time > new Date(certificate.validTo)) job.warn(`The certificate expired on ${certificate.validTo}`)
    if (time < new Date(certificate.validFrom)) job.warn(`The certificate is not valid before ${certificate.validFrom}`)
    const signer = commonName(certificate)
    const date = `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    const lines = [
      `Signed by ${signer}`,
      date,
      ...[reason, location].filter((line) => line !== undefined && line !== ''),
    ]
    // Opened once for its checks: structure, pages, passwords.
    const checked = await openPdfFile(file)
    checked.close()
    const area = place === undefined ? undefined : readArea(place, 0)
    const options = { field, reason, location, place: area, lines: lines as string[], time }
    const signed = await signPdf(await readFile(file.path), identity, options)
    const written = await openPdf(signed)
    const reports = await verifySignatures(written, Buffer.from(signed), [])
    written.close()
    const own = reports.find(({ coversWholeDocument }) => coversWholeDocument)
    if (!own?.valid) throw new MediaprocError('PROCESSING_FAILED', 'The written signature is not valid')
    const name = suffixedName(file, 'digitally-signed', 'pdf')
    const path = await job.output(name)
    await writeFile(path, signed)
    return {
      files: [{ path, name, mime: 'application/pdf' }],
      report: { field: own.field, signer, time: time.toISOString(), signatures: reports.length },
    }
  },
})
