import { writeFile } from 'node:fs/promises'
import { docxAsHtml } from '../../src/engines/documents/mammoth.ts'
import { MediaprocError } from '../../src/errors.ts'
import { writeEpub } from '../../src/media/epub/write.ts'
import { type MediaFile, printableName, stemOf } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { openOffice } from '../../src/media/office/open.ts'
import { fromHtml, fromPlainText, type HtmlResult } from '../../src/media/rich-text/from-html.ts'
import { countScripts } from '../../src/media/rich-text/scripts.ts'
import type { EncodingOptions } from '../../src/media/text-file.ts'
import { mimeOf } from '../../src/media/type.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { leftOutSentence, scriptsSentence } from './_shared/pages/left-out.ts'
import { readMarkdown } from './_shared/pages/markdown-page.ts'

export default tool({
  section: 'files',
  id: 'to-epub',
  summary: 'Convert DOCX, Markdown, HTML or text to EPUB',
  input: oneFile('docx', 'md', 'html', 'txt'),
  settings: { encoding: textEncoding('plain text, Markdown or HTML') },
  output: { kind: 'file', type: { is: 'epub' } },
  naming: { suffix: '' },
  conversion: true,
  engines: ['html', 'markdown', 'mammoth'],
  timeoutS: 120,
  async: true,
  batch: true,
  examples: [{ title: 'notes to read in bed', inputs: ['notes.md'] }],
  async run(job, { encoding }) {
    const file = job.inputs[0]
    const shown = printableName(file.name)
    const { blocks, title, author, language, leftOut, missingPictures } = await read(file, {
      encoding,
      warn: job.warn,
    })
    if (leftOut > 0) job.warn(leftOutSentence(shown, leftOut, missingPictures))
    if (blocks.length === 0)
      throw new MediaprocError('PROCESSING_FAILED', `${shown} has no text`, {
        hint: 'There is nothing to read in it.',
      })
    const name = suffixedName(file, '', 'epub')
    const path = await job.output(name)
    await writeFile(
      path,
      await writeEpub({
        title: title ?? stemOf(file.name),
        blocks,
        ...(author !== undefined && { author }),
        ...(language !== undefined && { language }),
      }),
    )
    return { files: [{ path, name, mime: mimeOf('epub') }] }
  },
})

/** The content; only front matter has a title (catalogue: otherwise the name of the file). */
async function read(
  file: MediaFile,
  options: EncodingOptions,
): Promise<Omit<HtmlResult, 'title'> & { title?: string | undefined }> {
  if (file.type.id === 'md') {
    const { body, declaredTitle, author, language } = await readMarkdown(file, options)
    const document = await fromHtml(body)
    return { ...document, title: declaredTitle, ...(author && { author }), ...(language && { language }) }
  }
  const source = await openOffice(file, options)
  if (source.type === 'docx') {
    const document = await fromHtml(await docxAsHtml(source.bytes, printableName(file.name)))
    // Mammoth loads no external files; external references were removed before.
    return { ...document, title: undefined, leftOut: source.leftOut + document.leftOut }
  }
  const text = Buffer.from(source.bytes).toString()
  if (file.type.id === 'html') {
    const scripts = await countScripts(text)
    if (scripts > 0) options.warn?.(scriptsSentence(printableName(file.name), scripts))
    return { ...(await fromHtml(text)), title: undefined }
  }
  return { blocks: fromPlainText(text), leftOut: 0, missingPictures: [] }
}
