/** Writes iTunes' free-form tags of MP4 audio, which ffmpeg's muxer does not. */
import { open } from 'node:fs/promises'
import { box, boxesIn } from '../../../src/media/boxes.ts'
import { topLevelBoxes } from '../../../src/media/verify/boxes.ts'
import { FileView } from '../../../src/media/verify/file-view.ts'
import { readRange, splice, type TagWriter } from './splice.ts'

/** Boxes that contain tables of offsets, from `moov` down. */
const TRACK_BOXES = new Set(['trak', 'mdia', 'minf', 'stbl'])
/** Boxes of fragmented files, which contain offsets of other kinds. */
const FRAGMENT_BOXES = new Set(['moof', 'mfra', 'sidx'])
const HEADER = 8
/** The owner of the names, as iTunes, foobar2000 and loudgain write it. */
const OWNER = 'com.apple.iTunes'
/** The type of text in a `data` box: UTF-8 (QuickTime File Format, metadata value types). */
const UTF8 = 1
/** A larger index is not read, bytes: one of ten hours has 10 MB. */
const MOST_MOOV = 256 * 1024 * 1024
const DAMAGED = 'its boxes do not fit into each other'
const FRAGMENTED = 'it is fragmented, so convert it first'
const NOTHING = Buffer.alloc(0)

const flags = (value = 0): Buffer => Buffer.from([0, 0, 0, value])

const freeForm = (name: string, text: string): Buffer =>
  box(
    '----',
    box('mean', flags(), Buffer.from(OWNER)),
    box('name', flags(), Buffer.from(name)),
    box('data', flags(UTF8), Buffer.alloc(4), Buffer.from(text)),
  )

/** A reason why the tags cannot be written. */
class Refusal extends Error {}

/** A box with its children. */
interface Parent {
  type: string
  /** What its content begins with, before the first child, and ends with after the last one. */
  before: Buffer
  after: Buffer
  children: { type: string; bytes: Buffer }[]
}

/** @throws Refusal when the children do not fit into it */
function readParent(bytes: Buffer, skip = 0): Parent {
  const [own] = boxesIn(bytes, { start: 0, end: bytes.length }) ?? []
  if (!own) throw new Refusal(DAMAGED)
  const [start, end] = [own.body + skip, own.end]
  // QuickTime ends the list of user data with 32 zero bits (QuickTime File Format, user data atoms).
  const isTerminated = own.type === 'udta' && end - start >= 4 && bytes.readUInt32BE(end - 4) === 0
  const whole = boxesIn(bytes, { start, end: isTerminated ? end - 4 : end })
  const children = whole ?? boxesIn(bytes, { start, end })
  if (!children) throw new Refusal(DAMAGED)
  return {
    type: own.type,
    before: bytes.subarray(own.body, start),
    after: whole && isTerminated ? bytes.subarray(end - 4, end) : Buffer.alloc(0),
    children: children.map((one) => ({ type: one.type, bytes: bytes.subarray(one.start, one.end) })),
  }
}

const childOf = ({ children }: Parent, type: string): Buffer | undefined =>
  children.find((child) => child.type === type)?.bytes

/** The box with a child in place of the one of its type, or after all others. */
function withChild({ type, before, after, children }: Parent, childType: string, child: Buffer): Buffer {
  const at = children.findIndex((one) => one.type === childType)
  const all = children.map(({ bytes }) => bytes)
  return box(type, before, ...(at < 0 ? [...all, child] : all.with(at, child)), after)
}

/** The name of a free-form tag in lower case. */
function nameOf(bytes: Buffer): string {
  const name = childOf(readParent(bytes), 'name')
  return name ? name.toString('utf8', HEADER + 4).toLowerCase() : ''
}

/** The list of tags with others in place of those with the same names. */
function listWith(list: Buffer | undefined, tags: Readonly<Record<string, string>>): Buffer {
  const kept = list ? readParent(list).children : []
  return box(
    'ilst',
    ...kept.flatMap(({ type, bytes }) => (type === '----' && Object.hasOwn(tags, nameOf(bytes)) ? [] : [bytes])),
    ...Object.entries(tags).flatMap(([name, text]) => (text === '' ? [] : [freeForm(name, text)])),
  )
}

/** The handler that a list of iTunes tags needs. */
const HANDLER = box('hdlr', Buffer.alloc(8), Buffer.from('mdirappl', 'latin1'), Buffer.alloc(9))

/** The box of the list; other handlers than iTunes' have tags of another form. */
function metaWith(meta: Buffer | undefined, tags: Readonly<Record<string, string>>): Buffer {
  if (!meta) return box('meta', flags(), HANDLER, listWith(undefined, tags))
  // In QuickTime, it has no version.
  const parent = readParent(meta, meta.toString('latin1', HEADER + 4, HEADER + 8) === 'hdlr' ? 0 : 4)
  if (childOf(parent, 'hdlr')?.toString('latin1', HEADER + 8, HEADER + 12) !== 'mdir')
    throw new Refusal('its tags are not those of iTunes')
  return withChild(parent, 'ilst', listWith(childOf(parent, 'ilst'), tags))
}

/** A `moov` box with the tags. */
function moovWith(bytes: Buffer, tags: Readonly<Record<string, string>>): Buffer {
  const moov = readParent(bytes)
  if (childOf(moov, 'mvex')) throw new Refusal(FRAGMENTED)
  const udta = childOf(moov, 'udta')
  const user = udta ? readParent(udta) : { type: 'udta', before: NOTHING, after: NOTHING, children: [] }
  return withChild(moov, 'udta', withChild(user, 'meta', metaWith(childOf(user, 'meta'), tags)))
}

/** Adds to all offsets into the file that are beyond a position, in place. @throws Refusal when one cannot be found */
function shiftOffsets(bytes: Buffer, range: { start: number; end: number }, beyond: number, by: number): void {
  const boxes = boxesIn(bytes, range)
  if (!boxes) throw new Refusal(DAMAGED)
  for (const { type, body, end } of boxes) {
    if (type === 'saio') throw new Refusal('it is encrypted')
    if (TRACK_BOXES.has(type)) shiftOffsets(bytes, { start: body, end }, beyond, by)
    const width = type === 'stco' ? 4 : type === 'co64' ? 8 : 0
    for (let at = body + 8; width > 0 && at + width <= end; at += width) {
      const offset = width === 4 ? bytes.readUInt32BE(at) : Number(bytes.readBigUInt64BE(at))
      if (offset < beyond) continue
      if (width === 4 && offset + by > 0xffffffff) throw new Refusal('its offsets have 32 bits, which are too few')
      if (width === 4) bytes.writeUInt32BE(offset + by, at)
      else bytes.writeBigUInt64BE(BigInt(offset + by), at)
    }
  }
}

/** The place of the `moov` box in a file, and its bytes. @throws Refusal without one, or in files of another form */
async function readMoov(path: string): Promise<{ at: number; size: number; bytes: Buffer }> {
  const boxes = FileView.with(path, topLevelBoxes)
  if (!boxes) throw new Refusal(DAMAGED)
  for (const { type } of boxes) {
    if (FRAGMENT_BOXES.has(type)) throw new Refusal(FRAGMENTED)
    if (type === 'meta') throw new Refusal('it has metadata with offsets of its own')
  }
  const moov = boxes.findLast(({ type }) => type === 'moov')
  if (!moov || moov.end - moov.start > MOST_MOOV) throw new Refusal('it has no index that can be read')
  const file = await open(path)
  try {
    const bytes = await readRange(file, moov.start, moov.end)
    return { at: moov.start, size: (await file.stat()).size, bytes }
  } finally {
    await file.close()
  }
}

/** Copies an MP4 file with tags as `----:com.apple.iTunes:NAME`; all other boxes stay as they are. */
export const tagM4a: TagWriter = async (source, target, tags, signal) => {
  try {
    const { at, size, bytes } = await readMoov(source)
    const moov = moovWith(bytes, tags)
    shiftOffsets(moov, { start: HEADER, end: moov.length }, at, moov.length - bytes.length)
    await splice(source, target, [{ start: 0, end: at }, moov, { start: at + bytes.length, end: size }], signal)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}
