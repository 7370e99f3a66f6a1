import { buffer } from 'node:stream/consumers'
import type { Entry, ZipFile } from 'yauzl'
import { MediaprocError } from '../errors.ts'
import { limitExceeded } from '../limit-exceeded.ts'
import { type MediaFile, printableName } from './file.ts'
import { checkUnpackedSize, damaged, forEachEntry, openZip } from './unzip.ts'
import { memberGuard } from './zip-member.ts'

/** Larger than any document written by a person. */
const MAX_PARTS = 20_000

/**
 * Reads the parts of a ZIP-based file (Office Open XML, OpenDocument, EPUB) into memory, by name. The size is checked
 * before extraction, every checksum during it; the first of two parts with the same name is used.
 * @throws INVALID_FILE, LIMIT_EXCEEDED, PASSWORD_PROTECTED
 */
export async function readZipParts(file: MediaFile): Promise<Map<string, Buffer>> {
  await checkUnpackedSize(file)
  const parts = new Map<string, Buffer>()
  const archive = await openZip(file)
  try {
    await forEachEntry(archive, async (entry) => {
      if (/[/\\]$/.test(entry.fileName) || parts.has(entry.fileName)) return
      if (entry.isEncrypted())
        throw new MediaprocError('PASSWORD_PROTECTED', `${printableName(file.name)} is protected by a password`)
      if (parts.size >= MAX_PARTS)
        throw limitExceeded(`${printableName(file.name)} holds more than ${MAX_PARTS} parts`, {
          hint: 'Save it again in its own program.',
        })
      parts.set(entry.fileName, await unpack(archive, entry, file))
    })
  } catch (error) {
    throw damaged(file, error)
  } finally {
    archive.close()
  }
  return parts
}

async function unpack(archive: ZipFile, entry: Entry, file: MediaFile): Promise<Buffer> {
  const source = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
    archive.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream))),
  )
  const guard = memberGuard(file, {
    baseName: entry.fileName,
    size: entry.uncompressedSize,
    checksum: entry.crc32,
    index: 0,
    isExecutable: false,
  })
  source.on('error', (error) => guard.destroy(error))
  return buffer(source.pipe(guard))
}
