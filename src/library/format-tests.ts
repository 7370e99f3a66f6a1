/** The promises of every picture format as tests, for the authors of plugins: part of `mediaproc/test`. */
import assert from 'node:assert/strict'
import { MediaprocError } from '../errors.ts'
import { SNIFF_BYTES } from '../media/sniff.ts'
import { checkedPicture, checkedSize } from '../tool/plugins/check-picture.ts'
import { type FormatPicture, formatFault, type PictureFormat } from '../tool/plugins/format.ts'

export interface FormatTestOptions {
  /** Whole files of the format, best one for each of its variants. They should be small, as each is decoded often. */
  files: readonly Uint8Array[]
  /** Number of damaged copies to decode, over all files. Default 2000. */
  mutations?: number
  /** Start of the random numbers. Default 1. */
  seed?: number
}

/** Larger pictures, which a damaged header may declare, are not decoded. */
const MAX_PIXELS = 65_536
const LIMITS = { maxPixels: MAX_PIXELS, maxBytes: 2 ** 28 }

const headOf = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, SNIFF_BYTES)

/** Decodes as the program does; undefined if the declared size is over the limit. */
async function decoded(format: PictureFormat, bytes: Uint8Array): Promise<FormatPicture | undefined> {
  const size = checkedSize(format.size(bytes), format.id)
  if (size.width * size.height * size.frames > MAX_PIXELS) return undefined
  return checkedPicture(await format.decode(bytes, { limits: LIMITS }), size, format.id)
}

async function whole(format: PictureFormat, bytes: Uint8Array): Promise<FormatPicture> {
  const picture = await decoded(format, bytes)
  assert.ok(picture, `a file has more than ${MAX_PIXELS} pixels, which is too large for a test`)
  return picture
}

/** A refusal is an error for users; anything else that is thrown is a fault. */
async function decodedOrRefused(format: PictureFormat, bytes: Uint8Array): Promise<void> {
  try {
    await decoded(format, bytes)
  } catch (error) {
    if (!(error instanceof MediaprocError) || error.code === 'INVALID_PLUGIN') throw error
  }
}

/** Random numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const EDGES = [0, 1, 0x7f, 0x80, 0xff] as const

/** A copy with a few changed bytes, most of them in the header, and sometimes without its end. */
function damaged(bytes: Uint8Array, random: () => number): Uint8Array {
  const copy = new Uint8Array(bytes)
  const pick = (most: number): number => Math.floor(random() * most)
  for (let count = 1 + pick(4); count > 0; count -= 1) {
    const at = pick(random() < 0.7 ? Math.min(copy.length, 64) : copy.length)
    copy[at] = random() < 0.5 ? pick(256) : (EDGES[pick(EDGES.length)] ?? 0)
  }
  return random() < 0.2 ? copy.subarray(0, pick(copy.length)) : copy
}

/**
 * Tests that a format keeps its contract: its files are recognised, the declared size is that of the pixels, what it encodes
 * it decodes again, and damaged files are errors for users.
 */
export function formatTests(
  format: PictureFormat,
  { files: given, mutations = 2000, seed = 1 }: FormatTestOptions,
): { name: string; run(): Promise<void> }[] {
  // As in the program: not Buffers, whose slice shares memory.
  const files = given.map((file) => new Uint8Array(file))
  const tests: Record<string, () => Promise<void>> = {
    'its declaration is complete': async () => assert.equal(formatFault(format), undefined),
    'files are recognised by content, and others are not': async () => {
      for (const file of files) assert.equal(format.detect(headOf(file), undefined), true)
      const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
      for (const other of [new Uint8Array(0), png, Buffer.from('plain text\n')])
        assert.equal(format.detect(other, `x.${format.id}`), false)
    },
    'pixels have the declared size': async () => {
      for (const file of files) {
        const before = Buffer.from(file)
        await whole(format, file)
        assert.ok(before.equals(file), 'decode changed the bytes of the file')
      }
    },
    'a cut file is an error for users': async () => {
      for (const file of files)
        for (let part = 0; part < 50; part += 1)
          await decodedOrRefused(format, file.subarray(0, Math.floor((file.length * part) / 50)))
    },
    [`${mutations} damaged files are errors for users, or pictures`]: async () => {
      const random = randomFrom(seed)
      for (let index = 0; index < mutations; index += 1) {
        const file = files[index % files.length]
        if (file) await decodedOrRefused(format, damaged(file, random))
      }
    },
  }
  const { encode, holds } = format
  if (encode)
    tests['an encoded picture is decoded again'] = async () => {
      for (const file of files) {
        const picture = await whole(format, file)
        const again = await encode(picture, holds?.quality ? { quality: 90 } : {})
        assert.equal(format.detect(headOf(again), undefined), true)
        const { width, height, pixels } = await whole(format, again)
        assert.deepEqual([width, height], [picture.width, picture.height])
        if (!holds?.quality) assert.deepEqual(pixels, picture.pixels)
      }
    }
  return Object.entries(tests).map(([name, run]) => ({ name: `${format.id}: ${name}`, run }))
}
