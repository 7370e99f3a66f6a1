import { writeFile } from 'node:fs/promises'
import type { Picture } from '../../src/engines/documents/rich-text.ts'
import { writeDocx } from '../../src/engines/docx/docx.ts'
import { type EpubText, readEpub } from '../../src/media/epub/read.ts'
import { printableName } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { toHtml } from '../../src/media/rich-text/to-html.ts'
import { toMarkdown } from '../../src/media/rich-text/to-markdown.ts'
import { mimeOf } from '../../src/media/type.ts'
import { type Job, oneFile, tool } from '../../src/tool/contract.ts'
import { choice } from '../../src/tool/settings.ts'
import { leftOutSentence } from './_shared/pages/left-out.ts'
import { printedBytes } from './_shared/pages/print.ts'
import { wholePage } from './_shared/pages/whole-page.ts'

type Format = 'pdf' | 'docx' | 'html' | 'md'

export default tool({
  section: 'files',
  id: 'epub-convert',
  summary: 'Convert an EPUB book to PDF, DOCX, HTML or Markdown',
  input: oneFile('epub'),
  settings: {
    format: choice(['pdf', 'docx', 'html', 'md'], 'output format; plain styles replace those of the book', {
      required: true,
    }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  naming: { suffix: '' },
  conversion: true,
  engines: ['html', 'xml', 'docx'],
  timeoutS: 240,
  async: true,
  heavy: true,
  deterministic: false,
  batch: true,
  examples: [
    { title: 'a book as one page', inputs: ['book.epub'], settings: { format: 'html' } },
    { title: 'a book as Markdown', inputs: ['book.epub'], settings: { format: 'md' } },
  ],
  async run(job, { format }) {
    const file = job.inputs[0]
    const shown = printableName(file.name)
    const book = await readEpub(file, (fraction) => job.progress(fraction * 0.5, 'reading'))
    job.signal.throwIfAborted()
    if (book.leftOut > 0) job.warn(leftOutSentence(shown, book.leftOut))
    if (book.missing > 0)
      job.warn(
        `${shown} names ${book.missing} ${book.missing === 1 ? 'chapter that it does' : 'chapters that it does'} not hold`,
      )
    const name = suffixedName(file, '', format)
    const path = await job.output(name)
    job.progress(0.6, 'writing')
    await writeFile(path, await write(book, format, job))
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})

async function write(book: EpubText, format: Format, job: Job): Promise<Uint8Array | string> {
  if (format === 'docx') return writeDocx(book)
  if (format === 'md') {
    const { text, leftOut } = toMarkdown(book.blocks)
    if (leftOut > 0)
      job.warn(
        `${leftOut === 1 ? 'A picture is' : `${leftOut} pictures are`} left out, as Markdown holds none; what they show is said where the book says it`,
      )
    return text
  }
  const { title, language } = book
  const page = wholePage({ title, language, body: toHtml(book.blocks, { picture: dataAddress }) })
  if (format === 'html') return page
  return printedBytes(job, page)
}

const dataAddress = ({ bytes, type }: Picture): string =>
  `data:${mimeOf(type)};base64,${Buffer.from(bytes).toString('base64')}`
