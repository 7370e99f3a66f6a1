import { EVERYTHING, permissionBits } from '../../../src/media/pdf/structure/permissions.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { boolean, choice, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

export default pdfTool({
  id: 'protect-pdf',
  summary: 'Encrypt a PDF with AES-256 passwords',
  suffix: 'protected',
  deterministic: false,
  settings: {
    userPassword: text('required to open the file', {
      required: true,
      minLength: 1,
      maxLength: 256,
      secret: true,
    }),
    ownerPassword: text('removes restrictions; same as userPassword by default', {
      minLength: 1,
      maxLength: 256,
      secret: true,
    }),
    printing: choice(
      ['none', 'low', 'full'],
      'printing without the owner password, in readers that honour permissions',
      {
        default: 'full',
      },
    ),
    copying: boolean('copying text and images without the owner password; screen readers always can', {
      default: true,
    }),
    modifying: boolean('changing pages, without the owner password', { default: true }),
    annotating: boolean('comments and form fields, without the owner password', { default: true }),
    formFilling: boolean('filling in forms without the owner password; included in annotating', { default: true }),
    assembling: boolean('adding, removing and turning pages, without the owner password', { default: true }),
  },
  examples: [{ title: 'with a password', settings: { userPassword: 'open sesame' } }],
  check({ userPassword, ownerPassword, ...permissions }) {
    if (permissionBits(permissions) !== EVERYTHING && (ownerPassword ?? userPassword) === userPassword)
      throw invalidSettings('Restrictions need an ownerPassword that differs from userPassword: it lifts them')
    if (permissions.annotating && !permissions.formFilling)
      throw invalidSettings('Annotating includes filling in forms: formFilling=false needs annotating=false')
  },
  edit(document, { userPassword, ownerPassword = userPassword, ...allowed }, { warn }) {
    const permissions = permissionBits(allowed)
    document.target.encryption = { userPassword, ownerPassword, permissions }
    if (ownerPassword !== userPassword && permissions === EVERYTHING)
      warn('The owner password restricts nothing: set copying, modifying, … to false, or printing to none', 'advice')
    return document
  },
})
