import { writeFile } from 'node:fs/promises'
import { writeDocx } from '../../src/engines/docx/docx.ts'
import { printableName } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { fromHtml } from '../../src/media/rich-text/from-html.ts'
import { mimeOf } from '../../src/media/type.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { leftOutSentence } from './_shared/pages/left-out.ts'
import { readMarkdown } from './_shared/pages/markdown-page.ts'

export default tool({
  section: 'files',
  id: 'markdown-to-docx',
  summary: 'Convert Markdown to a Word document',
  input: oneFile('md', 'txt'),
  settings: { encoding: textEncoding('the text') },
  output: { kind: 'file', type: { is: 'docx' } },
  naming: { suffix: '' },
  conversion: true,
  engines: ['markdown', 'html', 'docx'],
  timeoutS: 120,
  batch: true,
  examples: [{ title: 'notes to continue in Word', inputs: ['notes.md'] }],
  async run(job, { encoding }) {
    const file = job.inputs[0]
    const { body, title, author, language } = await readMarkdown(file, { encoding, warn: job.warn })
    const { blocks, leftOut, missingPictures } = await fromHtml(body)
    if (leftOut > 0) job.warn(leftOutSentence(printableName(file.name), leftOut, missingPictures))
    const name = suffixedName(file, '', 'docx')
    const path = await job.output(name)
    await writeFile(path, await writeDocx({ title, blocks, ...(author && { author }), ...(language && { language }) }))
    return { files: [{ path, name, mime: mimeOf('docx') }] }
  },
})
