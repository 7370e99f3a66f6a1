/** Writes iTunes' free-form tags of MP4 audio, which ffmpeg's muxer does not. */
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

/** A box of ISO/IEC 14496-12, 4.2; offsets within the buffer or file. */
interface Box {
  type: string
  at: number
  /** Where its content begins. */
  body: number
  end: number
}

/** Boxes that contain tables of offsets, from `moov` down. */
const TRACK_BOXES = new Set(['trak', 'mdia', 'minf', 'stbl'])
const HEADER = 8
/** The owner of the names, as iTunes, foobar2000 and loudgain write it. */
const OWNER = 'com.apple.iTunes'
/** The type of text in a `data` box: UTF-8 (QuickTime File Format, metadata value types). */
const UTF8 = 1

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const head = Buffer.alloc(HEADER)
  head.writeUInt32BE(HEADER + body.length, 0)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}

function boxesIn(bytes: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = []
  for (let at = from; at + HEADER <= to; ) {
    const size = bytes.readUInt32BE(at)
    if (size < HEADER || at + size > to) break
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), at, body: at + HEADER, end: at + size })
    at += size
  }
  return boxes
}

const flags = (value = 0): Buffer => Buffer.from([0, 0, 0, value])

const freeForm = (name: string, text: string): Buffer =>
  box(
    '----',
    box('mean', flags(), Buffer.from(OWNER)),
    box('name', flags(), Buffer.from(name)),
    box('data', flags(UTF8), Buffer.alloc(4), Buffer.from(text)),
  )

/** The name of a free-form tag in lower case. */
function nameOf(bytes: Buffer, { body, end }: Box): string | undefined {
  const name = boxesIn(bytes, body, end).find(({ type }) => type === 'name')
  return name && bytes.toString('utf8', name.body + 4, name.end).toLowerCase()
}

/** The list of tags with others in place of those with the same names. */
function listWith(bytes: Buffer, list: Box | undefined, tags: Readonly<Record<string, string>>): Buffer {
  const kept = list ? boxesIn(bytes, list.body, list.end) : []
  return box(
    'ilst',
    ...kept
      .filter((one) => one.type !== '----' || !Object.hasOwn(tags, nameOf(bytes, one) ?? ''))
      .map(({ at, end }) => bytes.subarray(at, end)),
    ...Object.entries(tags).flatMap(([name, text]) => (text === '' ? [] : [freeForm(name, text)])),
  )
}

/** Replaces a child of a box, or appends it. */
function withChild(
  bytes: Buffer,
  parent: { type: string; body: number; end: number },
  skip: number,
  child: Buffer,
): Buffer {
  const type = child.toString('latin1', 4, 8)
  const others = boxesIn(bytes, parent.body + skip, parent.end).map((one) =>
    one.type === type ? child : bytes.subarray(one.at, one.end),
  )
  return box(
    parent.type,
    bytes.subarray(parent.body, parent.body + skip),
    ...others,
    ...(others.includes(child) ? [] : [child]),
  )
}

/** The handler that a list of iTunes tags needs. */
const HANDLER = box('hdlr', Buffer.alloc(8), Buffer.from('mdirappl', 'latin1'), Buffer.alloc(9))

/** A `moov` box with the tags. */
function moovWith(moov: Buffer, tags: Readonly<Record<string, string>>): Buffer {
  const whole = { type: 'moov', body: HEADER, end: moov.length }
  const udta = boxesIn(moov, HEADER, moov.length).find(({ type }) => type === 'udta')
  const meta = udta && boxesIn(moov, udta.body, udta.end).find(({ type }) => type === 'meta')
  const list = meta && boxesIn(moov, meta.body + 4, meta.end).find(({ type }) => type === 'ilst')
  const made = listWith(moov, list, tags)
  const metaBox = meta ? withChild(moov, meta, 4, made) : box('meta', flags(), HANDLER, made)
  return withChild(moov, whole, 0, udta ? withChild(moov, udta, 0, metaBox) : box('udta', metaBox))
}

/** Adds to all offsets into the file that are beyond a position, in place. */
function shiftOffsets(bytes: Buffer, from: number, to: number, beyond: number, by: number): void {
  for (const { type, body, end } of boxesIn(bytes, from, to)) {
    if (TRACK_BOXES.has(type)) shiftOffsets(bytes, body, end, beyond, by)
    const width = type === 'stco' ? 4 : type === 'co64' ? 8 : 0
    for (let at = body + 8; width > 0 && at + width <= end; at += width) {
      const offset = width === 4 ? bytes.readUInt32BE(at) : Number(bytes.readBigUInt64BE(at))
      if (offset < beyond) continue
      if (width === 4) bytes.writeUInt32BE(offset + by, at)
      else bytes.writeBigUInt64BE(BigInt(offset + by), at)
    }
  }
}

/** The place of the `moov` box in a file, and its bytes. */
async function readMoov(path: string): Promise<{ at: number; bytes: Buffer } | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(16)
    for (let at = 0; at + HEADER <= size; ) {
      await file.read(head, 0, 16, at)
      const short = head.readUInt32BE(0)
      const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? size - at : short
      if (head.toString('latin1', 4, 8) === 'moov')
        return { at, bytes: (await file.read(Buffer.alloc(length), 0, length, at)).buffer }
      if (length < HEADER) return undefined
      at += length
    }
    return undefined
  } finally {
    await file.close()
  }
}

/**
 * Writes tags into an MP4 file as `----:com.apple.iTunes:NAME`; an empty text removes one.
 * @param tags by names in lower case
 * @returns whether the file has a place for them
 */
export async function tagM4a(path: string, tags: Readonly<Record<string, string>>): Promise<boolean> {
  const found = await readMoov(path)
  if (!found) return false
  const { at, bytes } = found
  const moov = moovWith(bytes, tags)
  shiftOffsets(moov, HEADER, moov.length, at, moov.length - bytes.length)
  const made = `${path}.tags`
  const target = createWriteStream(made)
  if (at > 0) await pipeline(createReadStream(path, { end: at - 1 }), target, { end: false })
  target.write(moov)
  await pipeline(createReadStream(path, { start: at + bytes.length }), target)
  await rename(made, path)
  return true
}
