import { readFile } from 'node:fs/promises'
import { compoundStream } from '../../engines/documents/xlsx.ts'
import type { OfficeInput } from '../../engines/libreoffice/libreoffice.ts'
import { MediaprocError } from '../../errors.ts'
import { extensionOf, type MediaFile, printableName } from '../file.ts'
import { type EncodingOptions, readText } from '../text-file.ts'
import { typeOfName } from '../type.ts'
import { closedCopy } from './closed-copy.ts'

export interface OfficeSource {
  type: OfficeInput
  bytes: Uint8Array
  /** Number of external files that the document references. */
  leftOut: number
}

/**
 * Prepares an office document for LibreOffice: checks that its type matches its name, that it is complete and not
 * encrypted, and removes external references. Any text is treated as plain text, in the encoding given in the options.
 * @throws INVALID_FILE, LIMIT_EXCEEDED, PASSWORD_PROTECTED
 */
export async function openOffice(file: MediaFile, options: EncodingOptions = {}): Promise<OfficeSource> {
  if (file.type.group === 'text' || file.type.group === 'data') return openText(file, options)
  const type = file.type.id as OfficeInput
  if (type === 'rtf') return { type, ...(await closedCopy(file)) }
  const bytes = await readFile(file.path)
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return { type, ...(await closedCopy(file)) }
  await checkCompound(bytes, file)
  return { type, bytes, leftOut: 0 }
}

/** Plain text as UTF-8. Text with the name of an office document is rejected. */
async function openText(file: MediaFile, options: EncodingOptions): Promise<OfficeSource> {
  const claimed = typeOfName(file.name)
  if (claimed?.group === 'office')
    throw new MediaprocError(
      'INVALID_FILE',
      `${printableName(file.name)} is plain text, not ${claimed.id.toUpperCase()}`,
      {
        hint: 'To convert it as text, rename it to .txt.',
      },
    )
  return { type: 'txt', bytes: Buffer.from(await readText(file, options)), leftOut: 0 }
}

/** The streams with the main content in formats before 2007. */
const STREAMS: Readonly<Record<string, readonly string[]>> = {
  doc: ['/WordDocument'],
  xls: ['/Workbook', '/Book'],
  ppt: ['/Current User'],
}

async function checkCompound(bytes: Uint8Array, file: MediaFile): Promise<void> {
  const shown = printableName(file.name)
  const streams = STREAMS[file.type.id]
  // A newer document in this container is encrypted.
  if (!streams) throw locked(shown)
  for (const name of streams) {
    const stream = await compoundStream(bytes, name)
    if (!stream) continue
    if (isLocked(file.type.id, Buffer.from(stream))) throw locked(shown)
    return
  }
  throw new MediaprocError('INVALID_FILE', `${shown} is damaged: what it holds cannot be found`, {
    hint: `It is not a complete ${extensionOf(file.name).toUpperCase() || file.type.id.toUpperCase()} file.`,
  })
}

function locked(name: string): MediaprocError {
  return new MediaprocError('PASSWORD_PROTECTED', `${name} is protected by a password`, {
    hint: 'Save it without a password first.',
  })
}

function isLocked(type: string, stream: Buffer): boolean {
  // [MS-DOC] 2.5.2, FibBase: the fEncrypted bit.
  if (type === 'doc') return stream.length >= 12 && (stream.readUInt16LE(10) & 0x100) !== 0
  // [MS-PPT] 2.3.2, CurrentUserAtom: headerToken of an encrypted document.
  if (type === 'ppt') return stream.length >= 16 && stream.readUInt32LE(12) === 0xf3d1c4df
  return hasFilePass(stream)
}

const [FILE_PASS, END_OF_PART] = [0x2f, 0x0a]

/** [MS-XLS] 2.4.117: a FilePass record in the workbook globals. */
function hasFilePass(stream: Buffer): boolean {
  for (let at = 0; at + 4 <= stream.length; at += 4 + stream.readUInt16LE(at + 2)) {
    const record = stream.readUInt16LE(at)
    if (record === FILE_PASS) return true
    if (record === END_OF_PART) return false
  }
  return false
}
