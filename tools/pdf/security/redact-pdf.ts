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
      text('a word, a part of a word, or several words', { minLength: 1, maxLength: 200 }),
      'text to remove, literally',
      {
        short: 't',
        required: true,
        minLength: 1,
        maxLength: 50,
        secret: true,
        example: ['Ada Lovelace', '4111 1111'],
      },
    ),
    caseSensitive: boolean('match case', { default: false }),
  },
  output: { kind: 'file+report', type: { is: 'pdf' } },
  engines: ['mupdf', 'ghostscript'],
  timeoutS: 120,
  examples: [{ title: 'remove a confidential word', settings: { terms: ['honest'] } }],
  check({ terms }) {
    // A soft hyphen or a joiner alone cannot be searched for.
    if (terms.some((term) => term.replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '') === ''))
      throw invalidSettings('Expected terms that are not blank')
  },
  async produce([document], { terms: words, caseSensitive }, { files: [file], warn, signal, progress }) {
    const terms = termsOf(words, caseSensitive)
    const unsearchable = picturePages(document)
    const { areas, annotations, strings, metadata, scripts, attachments, unreadable } = await redactDocument(
      document,
      terms,
    )
    const removedParts = metadata + scripts + attachments.length + unreadable.length
    if (areas + annotations + strings + metadata + scripts + attachments.length === 0)
      warn(`None of the terms is in ${printableName(file.name)}: nothing was removed. Check their spelling`)
    progress(0.5, 'searching the result')
    document.checkSaved((bytes, password) => checkRedacted(bytes, password, terms, signal))
    if (unsearchable > 0)
      warn(
        `${unsearchable} ${unsearchable === 1 ? 'page is an image' : 'pages are images'}: text in images was not searched`,
      )
    if (unreadable.length > 0)
      warn(
        `${unreadable.length} attached ${unreadable.length === 1 ? 'file was removed, as its content' : 'files were removed, as their content'} cannot be searched`,
      )
    async function* redacted() {
      yield { document: document }
    }
    return { documents: redacted(), report: { found: areas, annotations, strings, removedParts } }
  },
})
