/** The thread of the barcode reader serves one job after the other. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { drawBarcode } from '../../src/engines/pictures/bwip.ts'
import { openBarcodeReader } from '../../src/engines/pictures/zxing.ts'
import { openSharp } from '../../src/engines/sharp.ts'

let started = 0
const count = (): void => {
  started += 1
}
beforeEach(() => {
  started = 0
  process.on('worker', count)
})
afterEach(() => {
  process.off('worker', count)
})

const never = new AbortController().signal

/** Grey samples of a code on a white ground of this size. */
async function code(width = 600, height = 300) {
  const drawn = await openSharp(await drawBarcode('4006381333931', { type: 'ean13', scale: 2, includeText: false }))
  const { data, info } = await drawn
    .resize({ width, height, fit: 'contain', background: '#fff' })
    .greyscale()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Reads a picture as a job of its own does. */
async function readOnce(picture: Awaited<ReturnType<typeof code>>, signal = never): Promise<string[]> {
  const reader = openBarcodeReader(signal)
  try {
    return (await reader.read(picture)).map(({ text }) => text)
  } finally {
    await reader.close()
  }
}

test('one thread for jobs that follow each other, two for jobs at the same time', async () => {
  const picture = await code()
  await readOnce(picture)
  started = 0
  for (let job = 0; job < 3; job += 1) expect(await readOnce(picture)).toEqual(['4006381333931'])
  expect(started).toBe(0)
  const both = await Promise.all([readOnce(picture), readOnce(picture)])
  expect([both, started]).toEqual([[['4006381333931'], ['4006381333931']], 1])
})

test('an abort ends a search and its thread; the next job is not affected', async () => {
  const noise = Uint8Array.from({ length: 4_000_000 }, (_, at) => ((at * 2654435761) >>> 13) & 255)
  const ending = new AbortController()
  const work = readOnce({ data: Buffer.from(noise), width: 2000, height: 2000 }, ending.signal)
  setTimeout(() => ending.abort(), 50)
  await expect(work).rejects.toMatchObject({ code: 'CANCELED' })
  await expect(readOnce(await code(), ending.signal)).rejects.toMatchObject({ code: 'CANCELED' })
  expect(await readOnce(await code())).toEqual(['4006381333931'])
})

test('a failed search ends the thread', async () => {
  const picture = await code()
  await expect(readOnce({ ...picture, width: picture.width + 1 })).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
  expect(await readOnce(picture)).toEqual(['4006381333931'])
})

test('the memory for a large picture is given back with its thread', async () => {
  const small = await code()
  await Promise.all([readOnce(small), readOnce(small)])
  expect(await readOnce(await code(2500, 2000))).toEqual(['4006381333931'])
  expect(await readOnce(await code(2500, 2000))).toEqual(['4006381333931'])
  started = 0
  expect(await readOnce(small)).toEqual(['4006381333931'])
  expect(started).toBe(1)
})
