import { writeFile } from 'node:fs/promises'
import { MediaprocError } from '../../../src/errors.ts'
import { limitExceeded } from '../../../src/limit-exceeded.ts'
import { lastOf } from '../../../src/lists.ts'
import { printableName } from '../../../src/media/file.ts'
import { setName } from '../../../src/media/naming.ts'
import { contentOf, readAttachments } from '../../../src/media/pdf/structure/attachments.ts'
import { uniqueNames } from '../../../src/media/unique-names.ts'
import { unpackLimits } from '../../../src/media/unzip.ts'
import { shortName } from '../../../src/media/zip-member.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { text } from '../../../src/tool/settings.ts'

/** Attachments get no specific media type: a browser must not display them as a page. */
const MIME = 'application/octet-stream'

/** A name from a document as that of a file in the folder of the results: it never leads elsewhere. */
function safeName(name: string): string {
  const plain = lastOf(name.split(/[/\\]/))
    .replace(/[:*?"<>|\p{Cc}]/gu, '_')
    .replace(/^\.+$/, '')
    .trim()
  return plain === '' ? 'attachment' : shortName(plain)
}

export default pdfTool({
  id: 'extract-attachments',
  summary: 'Save the files that are attached to a PDF',
  settings: {
    password: text('opens an encrypted document', { minLength: 1, maxLength: 256, secret: true }),
  },
  output: { kind: 'files+report', type: { oneOf: ['*'] } },
  examples: [{ title: 'all of them', inputs: ['attached.pdf'] }],
  open: ({ password }) => (password === undefined ? {} : { password }),
  async produce([document], _settings, { files: [file], output, progress }) {
    const found = readAttachments(document.pdf, document.pageCount)
    if (found.length === 0)
      throw new MediaprocError('TARGET_UNREACHABLE', `${printableName(file.name)} has no attachments`)
    const { files: mostFiles, fileBytes, bytes: mostBytes } = unpackLimits()
    if (found.length > mostFiles)
      throw limitExceeded(`${printableName(file.name)} has more than ${mostFiles} attachments`, {
        variable: 'MAX_ARCHIVE_FILES',
      })
    const names = uniqueNames(found.map(({ name }) => safeName(name)))
    const files = []
    const listed = []
    let left = mostBytes
    for (const [index, attachment] of found.entries()) {
      const content = contentOf(attachment, Math.min(left, fileBytes))
      left -= content.length
      const name = names[index] ?? 'attachment'
      const path = await output(name)
      await writeFile(path, content)
      files.push({ path, name, mime: MIME, isVerbatim: true })
      const { description, mime, page } = attachment
      listed.push({ name, size: content.length, description, mime, page })
      progress((index + 1) / found.length, 'saving')
    }
    return { files, report: { attachments: listed }, ...(files.length > 1 && { set: setName(file, 'attachments') }) }
  },
})
