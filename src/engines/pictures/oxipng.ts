import { readFile } from 'node:fs/promises'
import { builtFile } from '../../root.ts'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'

/** From 0 to 6: oxipng's own default. 3 takes three times as long for a hundredth of the size. */
const EFFORT = 2

/** Offset of the colour type in the header; its second bit means colour, with or without a palette. */
const COLOUR_TYPE = 25

/** The same pixels and metadata as a smaller PNG: optimises depth, palette, filters and deflate. */
export async function squeezePng(png: Uint8Array): Promise<Uint8Array> {
  // Uses an internal file: the package's entry tries to start browser threads.
  const { initSync, optimise } = await import('@jsquash/oxipng/codec/pkg/squoosh_oxipng.js')
  initSync(await readFile(builtFile('wasm/squoosh_oxipng_bg.wasm')))
  const made = optimise(png, EFFORT, false, false)
  return losesProfile(png, made) ? png : made
}

/**
 * oxipng converts colours that are all grey to greyscale, and keeps the RGB profile in the file, where readers must
 * ignore it (PNG specification, 11.3.3.3): tones would change.
 */
function losesProfile(before: Uint8Array, after: Uint8Array): boolean {
  const isColour = (png: Uint8Array): boolean => (png[COLOUR_TYPE]! & 2) !== 0
  const bytes = Buffer.from(after.buffer, after.byteOffset, after.byteLength)
  const profile = bytes.indexOf('iCCP', 0, 'latin1')
  return isColour(before) && !isColour(after) && profile >= 0 && profile < bytes.indexOf('IDAT', 0, 'latin1')
}

export const oxipng: Engine = libraryEngine({
  id: 'oxipng',
  purpose: 'lossless optimisation of PNG files',
  licence: 'Apache-2.0; contains oxipng (MIT) and libdeflate (MIT)',
  package: '@jsquash/oxipng',
  entry: '@jsquash/oxipng/codec/pkg/squoosh_oxipng.js',
  abilities: ['squeeze png'],
})
