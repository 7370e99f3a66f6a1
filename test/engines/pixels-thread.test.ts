import { beforeAll, expect, test } from 'vitest'
import { encodeJp2 } from '../../src/engines/ffmpeg/picture.ts'
import { encodeHeicWasm } from '../../src/engines/pictures/icodec.ts'
import { openSharp } from '../../src/engines/sharp.ts'
import {
  decodeHeif,
  decodeJp2,
  decodeJxlWasm,
  encodeJxlWasm,
  squeezedPng,
} from '../../src/engines/workers/pixels-thread.ts'
import { MediaprocError } from '../../src/errors.ts'
import { plain } from '../helpers/picture.ts'
import { buildProgram } from '../helpers/program.ts'

const WIDTH = 64
const HEIGHT = 48
const GREY = 200
const image = { width: WIDTH, height: HEIGHT, data: new Uint8Array(WIDTH * HEIGHT * 4).fill(GREY) }
const pass = (): void => {}

type Pixels = { width: number; height: number; data: Uint8Array | Uint8ClampedArray } | undefined
type Stop = { signal?: AbortSignal }

/** How each format is read, and one file of it. */
const FORMATS: Record<string, { read(bytes: Uint8Array, stop?: Stop): Promise<Pixels>; bytes: Uint8Array }> = {
  heic: { read: decodeHeif, bytes: new Uint8Array() },
  jp2: { read: (bytes, stop) => decodeJp2(bytes, pass, stop), bytes: new Uint8Array() },
  jxl: { read: decodeJxlWasm, bytes: new Uint8Array() },
}

beforeAll(async () => {
  buildProgram()
  FORMATS.heic!.bytes = await encodeHeicWasm(image, 90)
  FORMATS.jp2!.bytes = await encodeJp2({ ...image, data: Buffer.from(image.data), channels: 4 }, 100)
  FORMATS.jxl!.bytes = await encodeJxlWasm(image, 100)
}, 180_000)

test.each(Object.keys(FORMATS))('returns the pixels of %s from the thread', async (format) => {
  const { read, bytes } = FORMATS[format]!
  const { width, height, data } = (await read(bytes))!
  expect([width, height]).toEqual([WIDTH, HEIGHT])
  expect(Math.abs(data[0]! - GREY)).toBeLessThan(4)
  expect(data.length % (WIDTH * HEIGHT)).toBe(0)
  // The caller keeps the input, so that it can be read again.
  expect(bytes.length).toBeGreaterThan(0)
})

test.each(Object.keys(FORMATS))('an abort interrupts reading %s', async (format) => {
  const { read, bytes } = FORMATS[format]!
  const controller = new AbortController()
  const work = read(bytes, { signal: controller.signal })
  // On this thread the decoder would finish before it could be stopped.
  setImmediate(() => controller.abort(new MediaprocError('TIMEOUT', 'enough')))
  await expect(work).rejects.toMatchObject({ code: 'TIMEOUT', message: 'enough' })
})

test('refuses a picture above the limit before allocating pixels', async () => {
  const refusal = new MediaprocError('LIMIT_EXCEEDED', 'too large')
  const sizes: number[][] = []
  const work = decodeJp2(FORMATS.jp2!.bytes, (width, height) => {
    sizes.push([width, height])
    throw refusal
  })
  await expect(work).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', message: 'too large' })
  expect(sizes).toEqual([[WIDTH, HEIGHT]])
})

test("passes on the library's warnings about damage", async () => {
  const { bytes } = FORMATS.jp2!
  await expect(decodeJp2(bytes.subarray(0, 200), pass)).rejects.toMatchObject({ code: 'INVALID_FILE' })
})

test('a thread optimises one small PNG after the other, and ends with a large one or with an error', async () => {
  const [small, large] = await Promise.all([40, 1100].map((side) => plain(side, side, '#224466').png().toBuffer()))
  if (!small || !large) throw new Error('not drawn')
  const squeezed = async (png: Uint8Array): Promise<number> => {
    const { bytes } = await squeezedPng([png])
    return (await (await openSharp(bytes)).metadata()).width
  }
  await squeezed(small)
  let started = 0
  const count = (): void => {
    started += 1
  }
  process.on('worker', count)
  try {
    for (let job = 0; job < 3; job += 1) expect(await squeezed(small)).toBe(40)
    expect(started).toBe(0)
    expect([await squeezed(large), await squeezed(small), started]).toEqual([1100, 40, 1])
    await expect(squeezedPng([small.subarray(0, 40)])).rejects.toThrow(/./)
    expect([await squeezed(small), started]).toEqual([40, 2])
  } finally {
    process.off('worker', count)
  }
})
