import { expect, test } from 'vitest'
import { attemptFor as encoderFor } from '../../../src/media/image/encode/encode-within.ts'
import { searchEncoding, searchWhole } from '../../../src/media/image/encode/search-encoding.ts'
import { imageFormat } from '../../../src/media/image/formats.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { frameOf, fromSamples, photo, put } from '../../helpers/picture.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A wide picture whose halves differ: smooth on the left, noise on the right. */
async function wide(width: number) {
  const drawn = photo(width, 300)
  for (let at = 0; at < drawn.data.length; at += 1)
    if ((at / 3) % width > width / 2) drawn.data[at] = (drawn.data[at]! + ((at * 7919) % 61)) & 255
  return frameOf(await put(folder, `${width}.png`, fromSamples(drawn).png({ compressionLevel: 1 })))
}

/** Searches with a counting JPEG encoder; the qualities of full encodes. */
async function search(width: number, budget: number) {
  const frame = await wide(width)
  const whole: number[] = []
  let small = 0
  const found = await searchEncoding(frame, budget, async (one) => async (quality) => {
    if (one.width === width) whole.push(quality)
    else small += 1
    return (await one.pipeline({ isLast: true })).jpeg({ quality }).toBuffer()
  })
  return { frame, found, whole, small }
}

test.each([40_000, 90_000, 150_000])('a large picture is within %d bytes in at most three encodes', async (budget) => {
  const { frame, found, whole, small } = await search(1600, budget)
  expect(small).toBeGreaterThan(0)
  expect(whole.length).toBeLessThanOrEqual(3)
  expect(found.data.length).toBeLessThanOrEqual(budget)
  const next = await (await frame.pipeline({ isLast: true })).jpeg({ quality: found.quality + 1 }).toBuffer()
  expect(found.data.length >= budget * 0.97 || next.length > budget).toBe(true)
})

test('encodes a small one completely from the start', async () => {
  const { whole, small } = await search(600, 20_000)
  expect([small, whole.length > 0]).toEqual([0, true])
})

test.each([40_000, 90_000, 150_000])(
  'drafts find a thorough JPEG within %d bytes in at most two encodes',
  async (budget) => {
    const frame = (await wide(1600)).withTarget({ format: 'jpg', thorough: true })
    const whole: number[] = []
    const attemptFor = async (one: ImageFrame) => {
      const attempt = await encoderFor(one, imageFormat('jpg'))
      return (quality: number) => {
        if (one.width === frame.width && !one.target.isDraft) whole.push(quality)
        return attempt(quality)
      }
    }
    const { data, quality, met } = await searchWhole(frame, budget, attemptFor)
    expect([met, whole.length <= 2, data.length <= budget]).toEqual([true, true, true])
    const next = await (await encoderFor(frame, imageFormat('jpg')))(quality + 1)
    expect(data.length >= budget * 0.97 || next.length > budget).toBe(true)
  },
)

test('a search by drafts whose prediction fails becomes a search by results', async () => {
  const frame = (await wide(1600)).withTarget({ format: 'jpg', thorough: true })
  const budget = 60_000
  const usual = (one: ImageFrame) => encoderFor(one, imageFormat('jpg'))
  const { quality: predicted } = await searchWhole(frame, budget, usual)
  const highest = predicted - 6
  const attemptFor = async (one: ImageFrame) => {
    const attempt = await usual(one)
    const isWhole = one.width === frame.width && !one.target.isDraft
    return async (quality: number) => (isWhole && quality > highest ? Buffer.alloc(budget + 1) : attempt(quality))
  }
  const { met, quality, data } = await searchWhole(frame, budget, attemptFor)
  expect([met, quality <= highest, data.length <= budget]).toEqual([true, true, true])
})
