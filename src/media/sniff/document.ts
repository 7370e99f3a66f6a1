import { hasMark } from './signatures.ts'

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const OPEN_DOCUMENT: [pattern: RegExp, id: string][] = [
  [/^application\/epub\+zip/, 'epub'],
  [/^application\/vnd\.oasis\.opendocument\.text/, 'odt'],
  [/^application\/vnd\.oasis\.opendocument\.spreadsheet/, 'ods'],
  [/^application\/vnd\.oasis\.opendocument\.presentation/, 'odp'],
]
const OFFICE_FOLDERS: [folder: string, id: string][] = [
  ['word/', 'docx'],
  ['xl/', 'xlsx'],
  ['ppt/', 'pptx'],
]

function byFolder(name: string): string | undefined {
  return OFFICE_FOLDERS.find(([folder]) => name.startsWith(folder))?.[1]
}

/**
 * ZIP containers: EPUB and OpenDocument by the stored first entry `mimetype`, Office Open XML by its folders. Returns
 * `zip` if the visible entries indicate none of them.
 */
export function sniffZip(head: Uint8Array): string | undefined {
  if (!hasMark(head, 'PK\x03\x04')) return hasMark(head, 'PK\x05\x06') ? 'zip' : undefined
  const bytes = bufferOf(head)
  const [first, end] = [localName(bytes, 0), bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1')]
  // A stored document inside the archive has entries of its own: only the directory shows which archive they belong to.
  if (first !== 'mimetype' && end >= 0 && end + 22 <= bytes.length) {
    const found = sniffZipDirectory(bytes.subarray(bytes.readUInt32LE(end + 16), end))
    if (found) return found
  }
  for (let at = 0; at >= 0 && at + 30 <= bytes.length; at = bytes.indexOf('PK\x03\x04', at + 4, 'latin1')) {
    const name = localName(bytes, at)
    if (name === 'mimetype') {
      const content = at + 30 + name.length + bytes.readUInt16LE(at + 28)
      const mime = bytes.toString('latin1', content, content + 80)
      return OPEN_DOCUMENT.find(([pattern]) => pattern.test(mime))?.[1] ?? 'zip'
    }
    const office = byFolder(name)
    if (office) return office
  }
  return 'zip'
}

/** The name in the local header of an entry; empty if the bytes end before it. */
function localName(bytes: Buffer, at: number): string {
  return at + 30 > bytes.length ? '' : bytes.toString('latin1', at + 30, at + 30 + bytes.readUInt16LE(at + 26))
}

/** The same for the bytes of a central directory, or its beginning; none if the bytes are not one. */
export function sniffZipDirectory(directory: Uint8Array): string | undefined {
  if (!hasMark(directory, 'PK\x01\x02')) return undefined
  const bytes = bufferOf(directory)
  let at = 0
  while (at + 46 <= bytes.length && hasMark(bytes, 'PK\x01\x02', at)) {
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
    const office = byFolder(bytes.toString('latin1', at + 46, nameEnd))
    if (office) return office
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return 'zip'
}

const COMPOUND_MARK = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
const STREAMS: [name: string, id: string][] = [
  ['WordDocument', 'doc'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['PowerPoint Document', 'ppt'],
]

/** Byte offset of the directory of a compound file ([MS-CFB] 2.2), `undefined` if the bytes are not such a file. */
export function compoundDirectoryOffset(head: Uint8Array): number | undefined {
  if (!hasMark(head, COMPOUND_MARK) || head.length < 52) return undefined
  const bytes = bufferOf(head)
  return (bytes.readUInt32LE(48) + 1) * 2 ** Math.min(bytes.readUInt16LE(30), 16)
}

/**
 * Office files before 2007, by the names of the streams in their directory. A newer Office file with a password is
 * wrapped in the same container (stream `EncryptedPackage`): its type is taken from the file name, docx by default.
 * @param directory the bytes at `compoundDirectoryOffset`, empty if unavailable
 */
export function sniffCompound(directory: Uint8Array, claimed: string | undefined): string {
  const bytes = bufferOf(directory)
  for (let entry = 0; entry + 128 <= Math.min(bytes.length, 128 * 64); entry += 128) {
    const length = Math.min(bytes.readUInt16LE(entry + 64), 64)
    const name = bytes.toString('utf16le', entry, entry + Math.max(0, length - 2))
    const stream = STREAMS.find(([streamName]) => streamName === name)
    if (stream) return stream[1]
    if (name === 'EncryptedPackage') return claimed && /^(docx|xlsx|pptx)$/.test(claimed) ? claimed : 'docx'
  }
  return claimed && /^(doc|xls|ppt)$/.test(claimed) ? claimed : 'unknown'
}

/** PDF (its header may follow up to 1024 bytes of junk) and PostScript. */
export function sniffPage(head: Uint8Array, claimed: string | undefined): string | undefined {
  const start = bufferOf(head).toString('latin1', 0, 1024)
  // Text may mention the header, so away from the start it only counts at the start of a line, or if the file name
  // agrees.
  const isPdf =
    /^%PDF-/.test(start) || /[\r\n\0\xbf]%PDF-\d/.test(start) || (claimed === 'pdf' && start.includes('%PDF-'))
  if (isPdf && !start.startsWith('%!PS')) return 'pdf'
  if (!start.startsWith('%!PS')) return undefined
  // Many programs omit EPSF in the first line: the file name then shows that the page is meant to be embedded.
  return /^%!PS-Adobe-\S+ EPSF/.test(start) || claimed === 'eps' ? 'eps' : 'ps'
}
