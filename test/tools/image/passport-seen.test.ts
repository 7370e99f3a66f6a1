import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { Pixels } from '../../../src/media/image/frame-state.ts'
import { coveringsOf } from '../../../tools/image/people/passport-photo/coverings.ts'
import type { HeadPoints } from '../../../tools/image/people/passport-photo/landmarks.ts'
import { patchyPart } from '../../../tools/image/people/passport-photo/remains.ts'
import { seenDoubts } from '../../../tools/image/people/passport-photo/seen.ts'

const HEAD: HeadPoints = {
  ...{ leftEye: { x: 180, y: 150 }, rightEye: { x: 120, y: 150 }, eyeCenter: { x: 150, y: 150 } },
  ...{ chin: { x: 150, y: 240 }, forehead: { x: 150, y: 110 }, crown: { x: 150, y: 60 }, nose: { x: 150, y: 185 } },
  faceCenterX: 150,
}

const EYES = [120, 180]
  .map((x) => `<ellipse cx="${x}" cy="150" rx="11" ry="5" fill="#fff"/><circle cx="${x}" cy="150" r="5" fill="#321"/>`)
  .join('')
const GLASSES = [120, 180].map((x) => `<ellipse cx="${x}" cy="152" rx="24" ry="19" fill="#111"/>`).join('')
const capOf = (colour: string): string => `<path d="M75 125 Q75 40 150 40 Q225 40 225 125 Z" fill="${colour}"/>`

/** A face in front of an empty background. */
async function drawn(skin: string, over = ''): Promise<Pixels> {
  const face = `<ellipse cx="150" cy="150" rx="72" ry="92" fill="${skin}"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300">${face}${EYES}${over}</svg>`
  const { data, info } = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: 4, pageHeight: info.height }
}

describe.each(['#f1c9a5', '#a06a45', '#4a2c1c'])('skin of %s', (skin) => {
  test('an uncovered face', async () => {
    expect(seenDoubts(HEAD, await drawn(skin))).toEqual([])
  })

  test('sunglasses', async () => {
    expect(coveringsOf(HEAD, await drawn(skin, GLASSES))).toEqual({ areEyesDark: true, isForeheadCovered: false })
  })

  test.each(['#101010', '#2040a0', '#207030'])('a cap of %s', async (colour) => {
    expect(coveringsOf(HEAD, await drawn(skin, capOf(colour)))).toEqual({ areEyesDark: false, isForeheadCovered: true })
  })
})

test('one eye in shadow is not sunglasses, and a face cut by the picture is not checked', async () => {
  const patch = '<ellipse cx="120" cy="152" rx="24" ry="19" fill="#111"/>'
  expect(coveringsOf(HEAD, await drawn('#f1c9a5', patch))).toMatchObject({ areEyesDark: false })
  const moved = { ...HEAD, leftEye: { x: 340, y: 150 }, rightEye: { x: 320, y: 150 }, eyeCenter: { x: 330, y: 150 } }
  expect(coveringsOf(moved, await drawn('#f1c9a5'))).toEqual({ areEyesDark: false, isForeheadCovered: false })
})

describe('remains of a background', () => {
  const coverage = (alpha: (x: number, y: number) => number) => ({ width: 200, height: 300, at: alpha })

  test('measures a spot in squares, which thin lines and edges do not have', () => {
    // Squares of 7 pixels: of a patch of 40 by 30 the last rows and columns of each can be their corner.
    const patch = coverage((x, y) => (x >= 10 && x < 50 && y >= 20 && y < 50 ? 100 : 0))
    expect(patchyPart(patch)).toBeCloseTo((34 * 24) / (200 * 300), 9)
    const strands = coverage((x) => (x % 12 < 5 ? 100 : 0))
    expect(patchyPart(strands)).toBe(0)
    expect(patchyPart(coverage((x) => (x < 100 ? 255 : 10)))).toBe(0)
  })

  test('is reported', async () => {
    const haze = '<rect x="250" y="40" width="40" height="40" fill="#555" opacity="0.4"/>'
    expect(seenDoubts(HEAD, await drawn('#f1c9a5', haze))).toEqual([
      expect.stringContaining('Remains of the old background may be visible in 1.3 % of the photo'),
    ])
  })
})
