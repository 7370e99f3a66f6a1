import { LANGUAGES } from '../../../src/models/ocr/languages.ts'
import { markdownOf } from '../../../src/models/ocr/markdown.ts'
import { readText } from '../../../src/models/ocr/read.ts'
import { checkReaders, QUALITIES, qualityOf } from '../../../src/models/ocr/readers.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice } from '../../../src/tool/settings.ts'

export default imageTool({
  id: 'ocr',
  summary: 'Read text from an image',
  suffix: 'ocr',
  bundlesFor: { ocr: { quality: ['balanced', 'best'] } },
  settings: {
    quality: choice(QUALITIES, 'fast is Tesseract; balanced and best are models that detect and read lines', {
      default: 'balanced',
      filledByTool: true,
    }),
    language: choice(LANGUAGES, 'language of the text; auto detects the script', { default: 'auto' }),
    format: choice(['txt', 'md'], 'text, with tabs between table cells; or Markdown with headings, lists and tables', {
      default: 'txt',
    }),
    enhance: boolean('increase local contrast first, to reduce shadows and faded print', { default: true }),
    engine: choice(['tesseract', 'paddleocr'], 'deprecated alias of quality: fast or balanced', {
      deprecated: 'use quality',
    }),
  },
  checkInstalled: ({ quality, language, engine }, store) => checkReaders(qualityOf(quality, engine), language, store),
  output: { kind: 'file+report', type: { setting: 'format' } },
  timeoutS: 600,
  heavy: true,
  async: true,
  examples: [
    { title: 'read the text of a label', inputs: ['parcel.jpg'] },
    { title: 'as Markdown', inputs: ['parcel.jpg'], settings: { format: 'md' } },
    { title: 'without contrast enhancement', inputs: ['parcel.jpg'], settings: { enhance: false } },
  ],
  decode: () => ({ firstPage: true }),
  async produce([picture], { quality, language, format, enhance, engine }, context) {
    const frame = await picture.open()
    const warnings: string[] = []
    const warn = (message: string): void => {
      warnings.push(message)
      context.warn(message)
    }
    const options = { quality: qualityOf(quality, engine), language, enhance } as const
    const { signal } = context
    const progress = (fraction: number): void => context.progress(0.1 + 0.9 * fraction, 'reading')
    const { text, blocks, lines, facts } = await picture.named(() =>
      readText(frame, { ...options, mayDegrade: true }, { signal, warn, progress }),
    )
    const report = { text, ...facts, warnings, blocks }
    const data = format === 'md' ? markdownOf(lines) : text
    return { files: [{ type: format, data: data === '' ? '' : `${data}\n` }], report }
  },
})
