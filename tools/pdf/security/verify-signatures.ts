import { readFile } from 'node:fs/promises'
import { printableName } from '../../../src/media/file.ts'
import { readCertificates } from '../../../src/media/pdf/signature/chain.ts'
import { verifySignatures } from '../../../src/media/pdf/signature/verify.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { text } from '../../../src/tool/settings.ts'
import { counted, listed } from '../../../src/wording.ts'

export default pdfTool({
  id: 'verify-signatures',
  summary: 'Check the signatures of a PDF: who, when, what they cover, whether they are valid and trusted',
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['pdf'],
    secondary: {
      trust: { required: false, what: 'certificates of authorities that you trust, PEM or DER', accept: ['*'] },
    },
  },
  settings: {
    password: text('opens an encrypted document', { minLength: 1, maxLength: 256, secret: true }),
  },
  output: { kind: 'report' },
  examples: [{ title: 'all signatures', inputs: ['signed.pdf'], secondary: { trust: 'authority.pem' } }],
  open: ({ password }) => (password === undefined ? {} : { password }),
  async produce([document], _settings, { files: [file], secondary, warn }) {
    const trusted = secondary.trust
      ? readCertificates(await readFile(secondary.trust.path), printableName(secondary.trust.name))
      : []
    const signatures = await verifySignatures(document, await readFile(file.path), trusted)
    if (signatures.length === 0) warn(`${printableName(file.name)} has no signatures`)
    const invalid = signatures.filter(({ valid }) => !valid)
    if (invalid.length > 0)
      warn(
        `${counted(invalid.length, 'signature')} not valid: ${listed(invalid.map(({ field, problem }) => `${field} (${problem})`))}`,
      )
    const untrusted = signatures.filter(({ valid, chain }) => valid && trusted.length > 0 && !chain?.isTrusted)
    if (untrusted.length > 0)
      warn(
        `${counted(untrusted.length, 'signature')} not from a trusted authority: ${listed(untrusted.map(({ field, chain }) => (chain?.problem ? `${field} (${chain.problem})` : field)))}`,
      )
    if (trusted.length === 0 && signatures.some(({ valid }) => valid))
      warn('Who signed was not checked, only that nothing was changed: give the certificates of authorities as trust')
    const expired = signatures.filter(({ valid, chain }) => valid && chain?.isExpired)
    if (expired.length > 0)
      warn(
        `${counted(expired.length, 'signature')} with a certificate that was not valid at the time of signing: ${listed(expired.map(({ field }) => field))}`,
      )
    const last = signatures.filter(({ valid }) => valid)
    if (last.length > 0 && last.every(({ changedSince }) => changedSince))
      warn('The document was changed after it was signed')
    return { report: { signatures, allValid: signatures.length > 0 && invalid.length === 0 } }
  },
})
