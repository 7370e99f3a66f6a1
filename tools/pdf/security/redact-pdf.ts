import { printableName } from '../../../src/media/file.ts'
import { readArea } from '../../../src/media/pdf/redact/areas.ts'
import { checkRedacted, findWithGhostscript } from '../../../src/media/pdf/redact/check.ts'
import { Expressions } from '../../../src/media/pdf/redact/expressions.ts'
import { KIND_NAMES } from '../../../src/media/pdf/redact/kinds.ts'
import { picturePages, redactDocument } from '../../../src/media/pdf/redact/redact.ts'
import { termsOf } from '../../../src/media/pdf/redact/terms.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { boolean, choice, list, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

export default pdfTool({
  id: 'redact-pdf',
  summary: 'Remove words, expressions, kinds of data and areas for good',
  suffix: 'redacted',
  settings: {
    terms: list(
      text('a word, a part of a word, or several words', { minLength: 1, maxLength: 200 }),
      'text to remove, literally',
      {
        short: 't',
        minLength: 1,
        maxLength: 50,
        secret: true,
        example: ['Ada Lovelace', '4111 1111'],
      },
    ),
    caseSensitive: boolean('match case of terms and patterns', { default: false }),
    patterns: list(
      text('a regular expression of JavaScript', { minLength: 1, maxLength: 500 }),
      'regular expressions of text to remove; as JSON if one has a comma',
      { minLength: 1, maxLength: 20, secret: true, example: ['(?<=PIN: )\\d{4}'] },
    ),
    kinds: list(
      choice(KIND_NAMES, 'a kind of data'),
      'kinds of data to remove; iban and card with their check digits',
      {
        minLength: 1,
        maxLength: KIND_NAMES.length,
        example: ['email', 'iban'],
      },
    ),
    areas: list(
      text('pages, then left, top, width and height in points or % of the displayed page', {
        minLength: 1,
        maxLength: 100,
        grammar: 'page-area',
      }),
      'areas to remove with all that they show: PAGES X Y WIDTH HEIGHT',
      { minLength: 1, maxLength: 200, example: ['1 72 680 200 24', '2-z 0 0 100% 8%'] },
    ),
  },
  output: { kind: 'file+report', type: { is: 'pdf' } },
  engines: ['mupdf', 'ghostscript'],
  timeoutS: 120,
  examples: [
    { title: 'remove a confidential word', settings: { terms: ['honest'] } },
    {
      title: 'remove e-mail addresses and an invoice number',
      inputs: ['invoice.pdf'],
      settings: { kinds: ['email'], patterns: ['\\b\\d+-\\d+\\b'] },
    },
    { title: 'remove the heading of every page', settings: { areas: ['1-z 0 0 100% 12%'] } },
  ],
  check({ terms = [], patterns = [], kinds = [], areas = [], caseSensitive }) {
    if (terms.length + patterns.length + kinds.length + areas.length === 0)
      throw invalidSettings('Expected terms, patterns, kinds or areas to remove')
    // A soft hyphen or a joiner alone cannot be searched for.
    if (terms.some((term) => term.replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '') === ''))
      throw invalidSettings('Expected terms that are not blank')
    Expressions.of(patterns, kinds, caseSensitive)
    areas.forEach(readArea)
  },
  async produce([document], settings, { files: [file], warn, signal, progress }) {
    const { terms: words = [], patterns = [], kinds = [], caseSensitive } = settings
    const terms = termsOf(words, caseSensitive, Expressions.of(patterns, kinds, caseSensitive))
    const isWords = patterns.length + kinds.length === 0
    const places = (settings.areas ?? []).map(readArea)
    const unsearchable = words.length + patterns.length + kinds.length > 0 ? picturePages(document) : 0
    await findWithGhostscript(document.pdf, terms, signal)
    const { areas, annotations, strings, metadata, scripts, attachments, unreadable, covered } = await redactDocument(
      document,
      terms,
      places,
    )
    const removedParts = metadata + scripts + attachments.length + unreadable.length
    if (areas + annotations + strings + metadata + scripts + attachments.length === 0)
      warn(
        `${isWords ? 'None of the terms' : 'Nothing to remove'} is in ${printableName(file.name)}: nothing was removed. Check their spelling`,
      )
    if (covered.length > 0)
      warn(
        `A drawing reaches out of an area on ${covered.length === 1 ? `page ${covered[0]}` : `${covered.length} pages`}: it is covered in black, and still in the file. Make the area larger to remove it`,
      )
    progress(0.5, 'searching the result')
    document.checkSaved((bytes, password) => checkRedacted(bytes, password, { terms, places }, signal))
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
