import { closeSync, openSync, writeSync } from 'node:fs'
import { deflateSync } from 'node:zlib'

/** Objects per object stream; readers must decode a whole stream to read an object. */
const GROUP_OBJECTS = 200

/** Maximum bytes per object stream, so that groups of long objects stay small. */
const GROUP_BYTES = 1024 * 1024

/** Bytes per offset in the cross-reference stream: files up to 1 TiB. */
const OFFSET_BYTES = 5
const ROW_BYTES = 1 + OFFSET_BYTES + 2

const IN_FILE = 1
const IN_GROUP = 2

/**
 * Writes a PDF to disk object by object: streams in order of arrival, other objects in compressed object streams, a
 * cross-reference stream at the end (ISO 32000-1, 7.5.7 and 7.5.8). Only the offsets are kept in memory. Always call
 * `close`.
 */
export class PdfFileWriter {
  readonly #descriptor: number
  #position = 0
  #next: number
  #rows: Buffer
  #group: Array<{ number: number; text: string }> = []
  #groupBytes = 0
  #isOpen = true

  /**
   * @param version such as 17 for PDF 1.7
   * @param count number of objects to be written, numbered from 1
   */
  constructor(path: string, version: number, count: number) {
    this.#descriptor = openSync(path, 'w', 0o600)
    this.#next = count + 1
    this.#rows = Buffer.alloc((count + 2 + Math.ceil(count / GROUP_OBJECTS)) * ROW_BYTES)
    // Bytes above 127 in a comment make programs treat the file as binary (ISO 32000-1, 7.5.2).
    this.#write(Buffer.from(`%PDF-${Math.floor(version / 10)}.${version % 10}\n%\xe2\xe3\xcf\xd3\n`, 'latin1'))
  }

  /** Writes an object that is not a stream. */
  object(number: number, text: string): void {
    this.#group.push({ number, text })
    this.#groupBytes += text.length
    if (this.#group.length >= GROUP_OBJECTS || this.#groupBytes >= GROUP_BYTES) this.#flush()
  }

  /** Writes a stream; `dictionary` already contains its length. */
  stream(number: number, dictionary: string, data: Uint8Array): void {
    this.#setRow(number, IN_FILE, this.#position, 0)
    this.#write(Buffer.from(`${number} 0 obj\n${dictionary}\nstream\n`, 'latin1'))
    this.#write(data)
    this.#write(Buffer.from('\nendstream\nendobj\n'))
  }

  /** Writes the end of the file. `entries` are the trailer entries, such as `/Root 1 0 R`. */
  end(entries: string): void {
    this.#flush()
    const number = this.#next++
    const start = this.#position
    this.#setRow(number, IN_FILE, start, 0)
    const data = deflateSync(this.#rows.subarray(0, (number + 1) * ROW_BYTES))
    const shape = `/Type /XRef /Size ${number + 1} /W [1 ${OFFSET_BYTES} 2] /Filter /FlateDecode /Length ${data.length}`
    this.stream(number, `<<${shape} ${entries}>>`, data)
    this.#write(Buffer.from(`startxref\n${start}\n%%EOF\n`))
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#descriptor)
    this.#isOpen = false
  }

  #flush(): void {
    if (this.#group.length === 0) return
    const number = this.#next++
    let header = ''
    let body = ''
    for (const [index, { number: member, text }] of this.#group.entries()) {
      header += `${member} ${body.length} `
      body += `${text}\n`
      this.#setRow(member, IN_GROUP, number, index)
    }
    const data = deflateSync(Buffer.from(header + body, 'latin1'))
    const shape = `/Type /ObjStm /N ${this.#group.length} /First ${header.length} /Filter /FlateDecode`
    this.#group = []
    this.#groupBytes = 0
    this.stream(number, `<<${shape} /Length ${data.length}>>`, data)
  }

  #setRow(number: number, type: number, value: number, index: number): void {
    const at = number * ROW_BYTES
    if (at + ROW_BYTES > this.#rows.length)
      this.#rows = Buffer.concat([this.#rows, Buffer.alloc(this.#rows.length + ROW_BYTES)])
    this.#rows.writeUInt8(type, at)
    this.#rows.writeUIntBE(value, at + 1, OFFSET_BYTES)
    this.#rows.writeUInt16BE(index, at + 1 + OFFSET_BYTES)
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done)
    this.#position += bytes.length
  }
}
