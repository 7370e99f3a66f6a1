import { buffer } from 'node:stream/consumers'
import type { Entry, ZipFile } from 'yauzl'
import { required } from '../../lists.ts'

const MIMETYPE = 'mimetype'
const ENTRY_TIME = new Date(1980, 0, 1)

/**
 * Packs the parts of an office file or EPUB: `mimetype`, if present, first and uncompressed, as the formats require
 * (OpenDocument 1.3 part 2, 3.3; EPUB 3.3, 4.2.3), so that the first bytes identify the type; everything else is
 * deflated. The output is deterministic.
 */
export async function packParts(parts: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array> {
  const { ZipFile } = await import('yazl')
  const archive = new ZipFile()
  const names = [...parts.keys()].sort((one, other) => Number(other === MIMETYPE) - Number(one === MIMETYPE))
  for (const name of names)
    archive.addBuffer(Buffer.from(required(parts, name)), name, {
      ...{ mtime: ENTRY_TIME, mode: 0o100644, forceDosTimestamp: true },
      compress: name !== MIMETYPE,
    })
  archive.end()
  return buffer(archive.outputStream)
}

/** The parts of an archive that one of our libraries has created; for untrusted archives see src/media/zip-parts.ts. */
export async function unpackParts(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const { default: yauzl } = await import('yauzl')
  const archive = await new Promise<ZipFile>((resolve, reject) =>
    yauzl.fromBuffer(Buffer.from(bytes), { lazyEntries: true }, (error, opened) =>
      error ? reject(error) : resolve(opened),
    ),
  )
  const parts = new Map<string, Buffer>()
  return new Promise((resolve, reject) => {
    archive.on('error', reject)
    archive.on('end', () => resolve(parts))
    archive.on('entry', (entry: Entry) => {
      if (entry.fileName.endsWith('/')) return archive.readEntry()
      archive.openReadStream(entry, (error, stream) => {
        if (error) return reject(error)
        buffer(stream).then((content) => {
          parts.set(entry.fileName, content)
          archive.readEntry()
        }, reject)
      })
    })
    archive.readEntry()
  })
}
