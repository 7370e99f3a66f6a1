import { type MetadataKey, readMetadata, writeMetadata } from '../../../src/media/pdf/structure/metadata.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { text } from '../../../src/tool/settings.ts'

const MAX_LENGTH = 500

/** The setting for each entry. */
const KEYS = { title: 'Title', author: 'Author', subject: 'Subject', keywords: 'Keywords' } as const

export default pdfTool({
  id: 'pdf-metadata',
  summary: 'Read or change title, author, subject and keywords',
  suffix: 'metadata',
  settings: {
    title: text('an empty text removes it', { maxLength: MAX_LENGTH, example: 'Annual report' }),
    author: text('an empty text removes it', { maxLength: MAX_LENGTH, example: 'Ada Lovelace' }),
    subject: text('an empty text removes it', { maxLength: MAX_LENGTH }),
    keywords: text('an empty text removes them', { maxLength: MAX_LENGTH, example: 'report, 2026' }),
  },
  output: { kind: 'file+report', type: { is: 'pdf' } },
  examples: [
    { title: 'the current metadata' },
    { title: 'a new title and no author', settings: { title: 'Annual report', author: '' } },
  ],
  produce([document], settings) {
    const changes: Partial<Record<MetadataKey, string>> = {}
    for (const [name, key] of Object.entries(KEYS)) {
      const value = settings[name as keyof typeof KEYS]
      if (value !== undefined) changes[key] = value
    }
    if (Object.keys(changes).length > 0) writeMetadata(document, changes)
    const metadata = readMetadata(document)
    const named = Object.entries(KEYS).map(([name, key]) => [name, metadata[key] ?? ''])
    async function* changed() {
      yield { document: document }
    }
    return { documents: changed(), report: { metadata: { ...metadata, ...Object.fromEntries(named) } } }
  },
})
