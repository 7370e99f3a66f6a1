import { MediaprocError } from '../../../src/errors.ts'
import { firstOf } from '../../../src/lists.ts'
import { printableName } from '../../../src/media/file.ts'
import { parseNumberedPages } from '../../../src/media/pdf/page/page-range.ts'
import { addTextLayer } from '../../../src/media/pdf/stamp/text-layer.ts'
import { extractPageTexts } from '../../../src/media/pdf/structure/text.ts'
import { LANGUAGES } from '../../../src/models/ocr/languages.ts'
import { markdownOf } from '../../../src/models/ocr/markdown.ts'
import { checkTextLength } from '../../../src/models/ocr/read.ts'
import { checkReaders, QUALITIES, qualityOf } from '../../../src/models/ocr/readers.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { boolean, choice, text } from '../../../src/tool/settings.ts'
import { type PageReading, readPage, wordsOn } from './ocr-pdf/read-page.ts'

/** Maximum number of pages per run (catalogue). */
const MOST_PAGES = 50

/** The text of all pages under their headings (catalogue). */
const asText = (pages: readonly PageReading[]): string =>
  `${pages.map(({ page, text: read }) => `--- Page ${page} ---\n\n${read.trim()}`).join('\n\n')}\n`

export default pdfTool({
  id: 'ocr-pdf',
  summary: 'Read scanned PDF pages into text',
  suffix: 'ocr',
  bundlesFor: { ocr: { quality: ['balanced', 'best'] } },
  engines: ['mupdf', 'sharp'],
  settings: {
    quality: choice(QUALITIES, 'fast is Tesseract; balanced and best are models that detect and read lines', {
      default: 'balanced',
      filledByTool: true,
    }),
    language: choice(LANGUAGES, 'language of the text; auto detects the script', { default: 'auto' }),
    pages: text('all, or pages such as 1-3,5; at most 50', {
      short: 'p',
      default: 'all',
      maxLength: 100,
      grammar: 'page-numbers',
    }),
    format: choice(
      ['txt', 'pdf', 'json', 'md'],
      'text; the PDF with an invisible text layer; text with positions; or Markdown with headings, lists and tables',
      { default: 'txt' },
    ),
    enhance: boolean('increase local contrast first; default with quality best'),
    engine: choice(['tesseract', 'paddleocr'], 'deprecated alias of quality: fast or balanced', {
      deprecated: 'use quality',
    }),
  },
  checkInstalled: ({ quality, language, engine }, store) => checkReaders(qualityOf(quality, engine), language, store),
  output: { kind: 'file+report', type: { setting: 'format' } },
  timeoutS: 600,
  heavy: true,
  async: true,
  batch: true,
  examples: [
    { title: 'the text of a scan', inputs: ['report.pdf'], settings: { quality: 'fast' } },
    {
      title: 'headings, paragraphs and tables as Markdown',
      inputs: ['report.pdf'],
      settings: { quality: 'fast', format: 'md' },
    },
    { title: 'a PDF that can be searched', inputs: ['report.pdf'], settings: { quality: 'fast', format: 'pdf' } },
  ],
  async produce([document], { quality, language, pages, format, enhance, engine }, context) {
    const { files, signal, progress } = context
    const selected = parseNumberedPages(pages, document.pageCount)
    if (selected.length > MOST_PAGES)
      throw new MediaprocError(
        'LIMIT_EXCEEDED',
        `${selected.length} pages of ${printableName(files[0].name)} are selected; the limit is ${MOST_PAGES}`,
        {
          hint: {
            shell: 'Select pages, for example: --pages 1-50',
            http: 'Select pages with pages, for example 1-50.',
          },
        },
      )
    const tier = qualityOf(quality, engine)
    const options = { quality: tier, language, enhance: enhance ?? tier === 'best', mayDegrade: false }
    const warnings = new Set<string>()
    const warn = (message: string): void => {
      if (warnings.has(message)) return
      warnings.add(message)
      context.warn(message)
    }
    const read: PageReading[] = []
    for (const [index, page] of selected.entries()) {
      const share = (part: number): void => progress((index + part) / selected.length, `reading page ${page}`)
      read.push(await readPage(document, page, options, { signal, warn, progress: share }))
      checkTextLength(asText(read))
    }
    let data: string | Uint8Array = asText(read)
    if (format === 'md') data = `${read.map(({ lines }) => markdownOf(lines)).join('\n\n---\n\n')}\n`
    if (format === 'json') {
      const list = read.map(({ page, width, height, dpi, text: content, blocks }) => {
        return { page, width, height, dpi, text: content, blocks }
      })
      data = `${JSON.stringify({ pages: list }, null, 2)}\n`
    }
    if (format === 'pdf') {
      const texts = extractPageTexts(document)
      const without = read.filter(({ page }) => texts[page - 1]!.trim() === '')
      const left = read.filter((one) => !without.includes(one)).map(({ page }) => page)
      if (left.length > 0) warn(`Unchanged, since they have text already: pages ${left.join(', ')}`)
      await addTextLayer(document, without.map(wordsOn))
      data = await document.save()
      for (const warning of document.warnings) warn(warning)
    }
    const { facts } = firstOf(read)
    return { files: [{ type: format, data }], report: { pages: read.length, ...facts, warnings: [...warnings] } }
  },
})
