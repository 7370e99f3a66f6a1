import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { portrait } from '../../../src/generate/assets/sample-drawings.ts'
import { cropAround, largestCrop, largestGroup } from '../../../tools/image/_shared/faces/groups.ts'
import { keepingHeads } from '../../../tools/image/_shared/faces/keep.ts'
import collage from '../../../tools/image/compose/collage.ts'
import spriteSheet from '../../../tools/image/compose/sprite-sheet.ts'
import stitch from '../../../tools/image/compose/stitch.ts'
import smartCrop from '../../../tools/image/geometry/smart-crop.ts'
import { readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const face = (left: number, top: number, side = 100) => ({ left, top, width: side, height: side })
const picture = { width: 1200, height: 600 }

test('a crop around two faces includes both, at any distance', () => {
  const faces = [face(100, 200), face(500, 220)]
  const crop = cropAround(faces, picture, { width: 300, height: 300 }, 1.8)
  expect(crop.left).toBeLessThan(100)
  expect(crop.left + crop.width).toBeGreaterThan(600)
  expect(crop.top).toBeLessThanOrEqual(200)
  expect(crop.top + crop.height).toBeGreaterThanOrEqual(320)
  expect(crop.width).toBe(crop.height)
  // One face as before: a multiple of its height.
  expect(cropAround([face(500, 200)], picture, { width: 300, height: 300 }, 1.8).height).toBe(180)
})

test('keeps the most of faces that do not fit together, and the largest of equally large groups', () => {
  const size = largestCrop(picture, { width: 300, height: 300 })
  expect(size).toEqual({ width: 600, height: 600 })
  const [far, near, beside] = [face(0, 0), face(900, 100), face(1050, 150)]
  expect(largestGroup([far, near, beside], size)).toHaveLength(2)
  expect(largestGroup([far, face(1000, 0, 150)], size)).toEqual([face(1000, 0, 150)])
  expect(largestGroup([near, beside], size)).toEqual([near, beside])
})

describe('a crop that would cut a head', () => {
  const window = (left: number) => ({ left, top: 0, width: 600, height: 600 })

  test('moves as little as possible', () => {
    expect(keepingHeads(window(300), [face(500, 200)], picture).left).toBe(300)
    expect(keepingHeads(window(300), [face(850, 200)], picture).left).toBe(350)
    expect(keepingHeads(window(300), [face(250, 200)], picture).left).toBe(250)
    expect(keepingHeads(window(300), [], picture).left).toBe(300)
  })

  test('leaves out whole heads rather than halves', () => {
    // Both do not fit, and the larger one is kept. From 460, the window would show half of the other, from 420 to 520.
    expect(keepingHeads(window(300), [face(420, 200), face(860, 100, 200)], picture).left).toBe(520)
    expect(keepingHeads(window(300), [face(200, 200), face(860, 100, 200)], picture).left).toBe(460)
  })

  const folder = temporaryFolder()
  /** A head at the top of a tall picture, and confetti at its foot, which draws more attention. */
  async function tall(): Promise<string> {
    const path = `${folder}/tall.png`
    const head = await sharp(Buffer.from(portrait(400, 500)))
      .png()
      .toBuffer()
    const dots = Array.from({ length: 160 }, (_, at) => {
      const fill = ['#ff0022', '#ffee00', '#ff00ff'][at % 3]
      return `<circle cx="${(at * 67) % 400}" cy="${1010 + ((at * 41) % 380)}" r="11" fill="${fill}"/>`
    })
    const confetti = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="1400">${dots.join('')}</svg>`
    const ground = sharp({ create: { width: 400, height: 1400, channels: 3, background: '#446655' } })
    await ground
      .composite([{ input: Buffer.from(confetti) }, { input: head, left: 0, top: 0 }])
      .png()
      .toFile(path)
    return path
  }

  const square = async () => {
    const path = `${folder}/square.png`
    await sharp({ create: { width: 400, height: 400, channels: 3, background: '#ffffff' } })
      .png()
      .toFile(path)
    return path
  }

  /** Whether the first rows of an area are those of the portrait's background above the hair, and not of the ground. */
  async function showsHead(path: string, left: number): Promise<boolean> {
    const { data, width } = await readPixels(path)
    const at = (10 * width + left + 200) * 3
    return data[at + 2]! > data[at + 1]! && data[at + 2]! > 100
  }

  test.each(['attention', 'entropy'])('smart-crop by %s', async (strategy) => {
    const { paths } = await run(smartCrop, folder, [await tall()], { width: 400, height: 300, strategy })
    expect(await showsHead(paths[0]!, 0)).toBe(true)
  })

  test('sprite-sheet, stitch and collage', async () => {
    const inputs = [await square(), await tall()]
    const sprites = await run(spriteSheet, folder, inputs)
    expect(await showsHead(sprites.paths[0]!, 400)).toBe(true)
    const stitched = await run(stitch, folder, inputs, { direction: 'grid', resizeMode: 'crop' })
    expect(await showsHead(stitched.paths[0]!, 400)).toBe(true)
    const placed = await run(collage, folder, inputs, { template: '2-v-equal', gap: 0 })
    const { data, width, height } = await readPixels(placed.paths[0]!)
    // The lower cell begins with the wall behind the head.
    const row = Math.round(height / 2) + 40
    expect(data[(row * width + 100) * 4 + 2]).toBeGreaterThan(100)
  })
})
