import { createRequire } from 'node:module'
import { join } from 'node:path'
import type sharp from 'sharp'
import { describe, expect, test, vi } from 'vitest'
import { encodeImage } from '../../../src/media/image/encode/encode.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { difference, frameOf, fromSamples, photo, readPixels } from '../../helpers/picture.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
let counter = 0
const next = (extension: string): string => join(folder, `${++counter}.${extension}`)

const shrink = (frame: ImageFrame) => {
  const size = { width: Math.round(frame.width / 3), height: Math.round(frame.height / 3) }
  return frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size, stage: 'resize' })
}
const cut = (frame: ImageFrame) => {
  const size = { width: frame.width - 10, height: frame.height - 6 }
  return frame.apply((image) => image.extract({ left: 4, top: 2, ...size }), { size, stage: 'extract' })
}
const dot = { data: Buffer.from([255, 40, 0, 150]), raw: { width: 1, height: 1, channels: 4 as const } }
const paint = (frame: ImageFrame) => frame.composite([{ input: dot.data, raw: dot.raw, left: 5, top: 3 }])

type Step = (frame: ImageFrame) => Promise<ImageFrame>

/** The pixels after the steps, as one chain and with the picture computed after every step. */
async function bothWays(path: string, steps: readonly Step[]) {
  let chain = await frameOf(path)
  let single = chain
  for (const step of steps) {
    chain = await step(chain)
    single = await (await step(single)).settled()
  }
  const read = async (frame: ImageFrame) => {
    const target = next('png')
    await encodeImage(frame.withTarget({ format: 'png' }), target)
    return readPixels(target)
  }
  return [await read(chain), await read(single)] as const
}

const opaque = fromSamples(photo(240, 160, 3))
const inputs = {
  'an opaque PNG': () => opaque.clone().png().toFile(next('png')),
  'a turned JPEG': () => opaque.clone().withMetadata({ orientation: 6 }).jpeg().toFile(next('jpg')),
  'a picture with alpha': () =>
    fromSamples(photo(240, 160, 4))
      .png()
      .toFile(next('png')),
  'a grey picture': () => opaque.clone().greyscale().png().toFile(next('png')),
  'a picture with a profile': () => opaque.clone().withIccProfile('p3').png().toFile(next('png')),
}

describe.each(Object.keys(inputs) as (keyof typeof inputs)[])('%s: a chain of stages equals single steps', (name) => {
  test.each([
    ['resize, extract, composite', [shrink, cut, paint]],
    ['resize, composite, extract', [shrink, paint, cut]],
    ['extract, extract, resize', [cut, cut, shrink]],
    ['extract, composite, composite', [cut, paint, paint]],
  ])('%s', async (_order, steps) => {
    const { format } = await inputs[name]()
    const path = join(folder, `${counter}.${format === 'jpeg' ? 'jpg' : format}`)
    const [chain, single] = await bothWays(path, steps)
    expect(difference(chain, single).most).toBe(0)
    expect(chain).toMatchObject({ width: single.width, height: single.height })
  })
})

test('stages in the order of sharp share one pipeline; others compute the picture in between', async () => {
  const path = next('png')
  await opaque.clone().png().toFile(path)
  // Our modules load the CommonJS build, whose class is another one.
  const { prototype } = createRequire(import.meta.url)('sharp') as typeof sharp
  const computed = vi.spyOn(prototype, 'toBuffer')
  const count = async (steps: readonly Step[]): Promise<number> => {
    computed.mockClear()
    let frame = await frameOf(path)
    for (const step of steps) frame = await step(frame)
    return computed.mock.calls.length
  }
  expect(await count([shrink, cut])).toBe(0)
  expect(await count([shrink, cut, paint])).toBe(1)
  expect(await count([cut, shrink])).toBe(1)
  expect(await count([cut, cut])).toBe(1)
})
