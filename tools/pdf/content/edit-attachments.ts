import { readFile, stat } from 'node:fs/promises'
import { limitExceeded } from '../../../src/limit-exceeded.ts'
import { type MediaFile, printableName } from '../../../src/media/file.ts'
import {
  type Attachment,
  addAttachments,
  type NewAttachment,
  readAttachments,
  removeAttachments,
} from '../../../src/media/pdf/structure/attachments.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { boolean, choice, list, text } from '../../../src/tool/settings.ts'
import { invalidSettings, nearest } from '../../../src/tool/validate.ts'
import { counted, listed } from '../../../src/wording.ts'

/** Maximum number of files per run; each is a separate option. */
const MAX_FILES = 10
/** Maximum size of the files together, which are in memory, bytes. */
const MAX_BYTES = 500 * 1024 * 1024
/** Longest list in the report. */
const LISTED = 1000

const FILES = Object.fromEntries(
  Array.from({ length: MAX_FILES }, (_, index) => [
    `file${index}`,
    { required: false, what: index === 0 ? 'a file to attach' : 'another file', accept: ['*'] },
  ]),
)

/** What a file is to the document, by the names of ISO 32000-2. */
const RELATIONSHIPS = {
  unspecified: 'Unspecified',
  source: 'Source',
  data: 'Data',
  alternative: 'Alternative',
  supplement: 'Supplement',
} as const

export default pdfTool({
  id: 'edit-attachments',
  summary: 'Attach files to a PDF, list and remove those that it has',
  suffix: 'attachments',
  input: { files: 'one', min: 1, max: 1, accept: ['pdf'], secondary: FILES },
  settings: {
    description: text('description of the attached files', { minLength: 1, maxLength: 500 }),
    relationship: choice(
      Object.keys(RELATIONSHIPS) as (keyof typeof RELATIONSHIPS)[],
      'what the files are to the document, for electronic invoices and archives',
      { default: 'unspecified' },
    ),
    remove: list(text('a name', { minLength: 1, maxLength: 255 }), 'names of attachments to remove', {
      minLength: 1,
      maxLength: 100,
      example: ['draft.xlsx'],
    }),
    removeAll: boolean('remove every attachment that the document has, before others are attached', { default: false }),
  },
  output: { kind: 'file+report', type: { is: 'pdf' } },
  examples: [
    { title: 'a table with its report', secondary: { file0: 'people.csv' }, settings: { description: 'The figures' } },
    { title: 'which files a document has', inputs: ['attached.pdf'] },
  ],
  async produce([document], { description, relationship, remove = [], removeAll }, { files: [file], secondary, warn }) {
    const { pdf, pageCount } = document
    const before = readAttachments(pdf, pageCount)
    const doomed = removeAll ? before : chosen(before, remove, file)
    if (doomed.length > 0) removeAttachments(pdf, pageCount, doomed)
    const added = await newAttachments(Object.values(secondary), description, RELATIONSHIPS[relationship])
    const replaced = added.length > 0 ? addAttachments(pdf, pageCount, added) : []
    if (replaced.length > 0)
      warn(
        `${listed([...new Set(replaced.map(({ name }) => name))])} replaced the ${counted(replaced.length, 'attachment')} of that name`,
      )
    const after = readAttachments(pdf, pageCount)
    document.expect(`the document has ${counted(after.length, 'attachment')}`, (saved) => {
      return readAttachments(saved, pageCount).length === after.length
    })
    async function* changed() {
      yield { document }
    }
    const attachments = after.slice(0, LISTED).map(({ name, description: about, mime, page }) => ({
      ...{ name, description: about, mime, page },
    }))
    return { documents: changed(), report: { attachments, added: added.length, removed: doomed.length } }
  },
})

/** The attachments of these names. @throws INVALID_SETTINGS for a name that the document does not have */
function chosen(all: readonly Attachment[], names: readonly string[], file: MediaFile): Attachment[] {
  const known = new Set(all.map(({ name }) => name))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) {
    const guess = nearest(unknown, [...known])
    throw invalidSettings(
      `${printableName(file.name)} has no attachment ${printableName(unknown)}`,
      guess === undefined
        ? 'Without remove, the tool lists the attachments.'
        : `Perhaps you mean ${printableName(guess)}.`,
    )
  }
  return all.filter(({ name }) => names.includes(name))
}

async function newAttachments(
  files: readonly MediaFile[],
  description: string | undefined,
  relationship: string,
): Promise<NewAttachment[]> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total > MAX_BYTES)
    throw limitExceeded(`The files have more than ${MAX_BYTES / 1024 / 1024} MiB together`, {
      hint: 'Attach smaller files, or a link to them.',
    })
  const names = files.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw invalidSettings(`Two of the files have the name ${printableName(twice)}`)
  return Promise.all(
    files.map(async (file) => ({
      ...{ name: file.name, mime: file.type.mime, bytes: await readFile(file.path), description, relationship },
      // The time of an uploaded file is that of its arrival.
      modified: file.folder === undefined ? undefined : (await stat(file.path)).mtime,
    })),
  )
}
