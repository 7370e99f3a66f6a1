import { printableName } from '../../../src/media/file.ts'
import { checkRedacted } from '../../../src/media/pdf/redact/check.ts'
import { picturePages, redactDocument } from '../../../src/media/pdf/redact/redact.ts'
import { termsOf } from '../../../src/media/pdf/redact/terms.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { boolean, list, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

export default pdfTool({
  id: 'redact-pdf',
  summary: 'Remove every occurrence of given words for good',
  suffix: 'redacted',
  settings: {
    terms: list(
      text('a word or a part of one, or several', { minLength: 1, maxLength: 200 }),
      'what is removed, literally',
      {
        short: 't',
        required: true,
        minLength: 1,
        maxLength: 50,
        secret: true,
        example: ['Ada Lovelace', '4111 1111'],
      },
    ),
    caseSensitive: boolean('only in this spelling of small and capital letters', { default: false }),
  },
  output: { kind: 'file+report', type: { is: 'pdf' } },
  engines: ['mupdf', 'ghostscript'],
  timeoutS: 120,
  examples: [{ title: 'a word that nobody may read', settings: { terms: ['honest'] } }],
  check({ terms }) {
    // A soft hyphen or a joiner alone cannot be searched for.
    if (terms.some((term) => term.replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '') === ''))
      throw invalidSettings('Expected terms that are not blank')
  },
  async produce([document], { terms: words, caseSensitive }, { files: [file], warn, signal, progress }) {
    const terms = termsOf(words, caseSensitive)
    const unsearchable = picturePages(document!)
    const { areas, annotations, strings, metadata, scripts, attachments, unreadable } = await redactDocument(
      document!,
      terms,
    )
    const removedParts = metadata + scripts + attachments.length + unreadable.length
    if (areas + annotations + strings + metadata + scripts + attachments.length === 0)
      warn(`None of the terms is in ${printableName(file!.name)}: nothing was removed. Check their spelling`)
    progress(0.5, 'searching the result')
    document!.checkSaved((bytes, password) => checkRedacted(bytes, password, terms, signal))
    if (unsearchable > 0)
      warn(
        `${unsearchable} ${unsearchable === 1 ? 'page is a picture' : 'pages are pictures'}: what is written in pictures was not searched`,
      )
    if (unreadable.length > 0)
      warn(
        `${unreadable.length} attached ${unreadable.length === 1 ? 'file was removed, as what is in it' : 'files were removed, as what is in them'} cannot be searched`,
      )
    async function* redacted() {
      yield { document: document! }
    }
    return { documents: redacted(), report: { found: areas, annotations, strings, removedParts } }
  },
})
