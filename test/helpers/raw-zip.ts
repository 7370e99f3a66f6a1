import { deflateRawSync } from 'node:zlib'
import yauzl from 'yauzl'
import { crc32 } from '../../src/media/crc32.ts'

export interface RawEntry {
  name: string | Buffer
  data?: Uint8Array | string
  /** 0 stored, 8 deflated (default). */
  method?: number
  /** Values in the headers, if wrong. */
  size?: number
  checksum?: number
  encrypted?: boolean
  /** Unix mode including the file type. */
  mode?: number
}

/** A ZIP archive byte by byte, so that its headers can have values that no packer would write. */
export function rawZip(entries: readonly RawEntry[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  // Large repeated contents are packed once.
  const known = new Map<RawEntry['data'], { plain: Buffer; packed: Buffer; sum: number }>()
  for (const { name, data = '', method = 8, size, checksum, encrypted = false, mode = 0o100644 } of entries) {
    if (!known.has(data)) {
      const bytes = Buffer.from(data as string)
      known.set(data, { plain: bytes, packed: deflateRawSync(bytes), sum: crc32(bytes) })
    }
    const { plain, packed: deflated, sum } = known.get(data)!
    const packed = method === 8 ? deflated : plain
    const nameBytes = Buffer.from(name as string)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(0x800 | (encrypted ? 1 : 0), 2)
    fields.writeUInt16LE(method, 4)
    fields.writeUInt32LE(0x00210000, 6)
    fields.writeUInt32LE(checksum ?? sum, 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(size ?? plain.length, 18)
    fields.writeUInt16LE(nameBytes.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, nameBytes, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), fields, tail, nameBytes]))
    locals.push(local)
    offset += local.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(index.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, index, Buffer.from('PK\x05\x06'), end])
}

/** The entries of an archive in order: name, method, Unix mode and contents. */
export async function readZip(
  path: string,
): Promise<Array<{ name: string; method: number; mode: number; data: Buffer }>> {
  const archive = await new Promise<yauzl.ZipFile>((resolve, reject) =>
    yauzl.open(path, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened))),
  )
  const found: Array<{ name: string; method: number; mode: number; data: Buffer }> = []
  return new Promise((resolve, reject) => {
    archive.on('error', reject)
    archive.on('end', () => resolve(found))
    archive.on('entry', (entry: yauzl.Entry) => {
      archive.openReadStream(entry, (error, stream) => {
        if (error) return reject(error)
        const parts: Buffer[] = []
        stream.on('data', (part: Buffer) => parts.push(part))
        stream.on('end', () => {
          found.push({
            ...{ name: entry.fileName, method: entry.compressionMethod, data: Buffer.concat(parts) },
            mode: entry.externalFileAttributes >>> 16,
          })
          archive.readEntry()
        })
      })
    })
    archive.readEntry()
  })
}
