import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine.ts'
import { libraryEngine, packageFolder } from '../library.ts'

/** 0 to 6; oxipng's own default is 2. 3 takes three times as long for 1 % of the size. */
const EFFORT = 2

/** Offset of the colour type in the header; its second bit means colour, with or without a palette. */
const COLOUR_TYPE = 25

/** The same pixels and metadata as a smaller PNG: depth, palette, filters and deflate are chosen again. */
export async function squeezePng(png: Uint8Array): Promise<Uint8Array> {
  // Imports the inner file: the package's own entry starts browser threads.
  const { initSync, optimise } = await import('@jsquash/oxipng/codec/pkg/squoosh_oxipng.js')
  const folder = packageFolder('@jsquash/oxipng', '@jsquash/oxipng/codec/pkg/squoosh_oxipng.js')!
  initSync(await readFile(join(folder, 'codec/pkg/squoosh_oxipng_bg.wasm')))
  const made = optimise(png, EFFORT, false, false)
  return losesProfile(png, made) ? png : made
}

/**
 * oxipng makes grey of colours that are all grey, and leaves the profile of red, green and blue in the file, where readers
 * must pass it over (PNG specification, 11.3.3.3): tones would change.
 */
function losesProfile(before: Uint8Array, after: Uint8Array): boolean {
  const isColour = (png: Uint8Array): boolean => (png[COLOUR_TYPE]! & 2) !== 0
  const bytes = Buffer.from(after.buffer, after.byteOffset, after.byteLength)
  const profile = bytes.indexOf('iCCP', 0, 'latin1')
  return isColour(before) && !isColour(after) && profile >= 0 && profile < bytes.indexOf('IDAT', 0, 'latin1')
}

export const oxipng: Engine = libraryEngine({
  id: 'oxipng',
  purpose: 'smaller PNGs without loss',
  licence: 'Apache-2.0; contains oxipng (MIT) and libdeflate (MIT)',
  package: '@jsquash/oxipng',
  entry: '@jsquash/oxipng/codec/pkg/squoosh_oxipng.js',
  abilities: ['squeeze png'],
})
