/** Limits exposure to what an image shows to be wrong: a mean luminance alone is weak evidence. */
import type { Samples } from '../../../../src/media/image/frame.ts'
import { luminanceOf } from '../../_shared/colour/local-contrast.ts'

/** Longest side of the grid of cells whose means are compared: areas count, not their texture. */
const CELLS = 96
/** Luminance of a cell, 0 to 255: darker ones are black bars or empty night, and lighter ones are not dark. */
const DARK = [8, 72] as const
/** Neighbouring cells that differ by at most this much belong to one area. */
const ONE_TONE = 4
/** Share of dark areas of one tone up to which an image may be underexposed, and from which its subject is dark. */
const DARK_SUBJECT = [0.3, 0.5] as const
/** Share of the correction that remains for a dark subject, and for a light one without any clipped pixel. */
const DARK_REST = 0.3
const LIGHT_REST = 0.3
/** Lightest luminance, 0 to 255, from which highlights are lost. */
const CLIPPED = 250
/** Mean luminance, 0 to 1, from which an image is not underexposed, and the scale of the correction (catalogue). */
const WELL_LIT = 0.4
const CORRECTION = 0.8

interface Cells {
  means: Float32Array
  width: number
  height: number
}

/** Means of square cells of the first page; the rest at the right and at the bottom is ignored. */
function cellsOf(light: Float32Array, width: number, height: number): Cells {
  const side = Math.max(1, Math.ceil(Math.max(width, height) / CELLS))
  const [across, down] = [Math.max(1, Math.floor(width / side)), Math.max(1, Math.floor(height / side))]
  const means = new Float32Array(across * down)
  const [columns, rows] = [Math.min(side, width), Math.min(side, height)]
  for (let y = 0; y < down * rows; y += 1)
    for (let x = 0; x < across * columns; x += 1) {
      const cell = Math.floor(y / rows) * across + Math.floor(x / columns)
      means[cell] = (means[cell] as number) + (light[y * width + x] as number) / (rows * columns)
    }
  return { means, width: across, height: down }
}

/** Share of the cells that are dark and have the tone of all their neighbours. */
function darkAreas({ means, width, height }: Cells): number {
  let found = 0
  for (let y = 1; y < height - 1; y += 1)
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x
      const value = means[at] as number
      const isOneTone = [at - 1, at + 1, at - width, at + width].every(
        (other) => Math.abs((means[other] as number) - value) <= ONE_TONE,
      )
      if (value > DARK[0] && value < DARK[1] && isOneTone) found += 1
    }
  return found / means.length
}

export interface Evidence {
  /** The exposure correction that the image needs, -100 to 100. */
  exposure: number
  /** The part of other corrections of its tones that suits it, 0 to 1. */
  part: number
}

/**
 * What an image shows to need, at most the planned correction. Black bars do not make it underexposed. A dark subject
 * that fills it, as a night sky, or a pale one without clipped highlights is mostly meant to be so.
 * @param planned exposure by the mean luminance, -100 to 100
 * @param weight of the mode and strength, which `planned` contains
 */
export function evidenceOf(samples: Samples, planned: number, weight: number): Evidence {
  const light = luminanceOf(samples, 0)
  if (planned < 0)
    return { exposure: light.some((value) => value >= CLIPPED) ? planned : planned * LIGHT_REST, part: 1 }
  const cells = cellsOf(light, samples.width, samples.height)
  const lit = cells.means.filter((value) => value > DARK[0])
  const mean = lit.length === 0 ? 0 : lit.reduce((sum, value) => sum + value, 0) / lit.length / 255
  const needed = mean >= WELL_LIT ? 0 : (50 - 100 * mean) * CORRECTION * weight
  const [few, many] = DARK_SUBJECT
  const subject = Math.min(1, Math.max(0, (darkAreas(cells) - few) / (many - few)))
  const part = 1 - subject * (1 - DARK_REST)
  return { exposure: Math.min(planned, needed) * part, part }
}
