import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'

/** The used part of libheif-js; the package has no types. */
interface HeifImage {
  get_width(): number
  get_height(): number
  is_primary(): boolean
  display(target: { data: Uint8ClampedArray; width: number; height: number }, done: (result: unknown) => void): void
  free(): void
}
interface Libheif {
  HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] }
}

let library: Libheif | undefined

/** libheif compiled to WebAssembly, loaded on first use (its bundle is 2 MB). */
async function loadLibheif(): Promise<Libheif> {
  // It has no types.
  const { default: create } = (await import('libheif-js/libheif-wasm/libheif-bundle.mjs' as string)) as {
    default(): Libheif
  }
  library ??= create()
  return library
}

export interface HeifPixels {
  width: number
  height: number
  /** RGBA, 8 bits; rotated and mirrored as the file specifies. */
  data: Uint8ClampedArray
}

/** The primary image of a HEIC/HEIF file, or undefined if the library finds none. */
export async function decodeHeif(bytes: Uint8Array): Promise<HeifPixels | undefined> {
  const images = new (await loadLibheif()).HeifDecoder().decode(bytes)
  const image = images.find((one) => one.is_primary()) ?? images[0]
  if (!image) return undefined
  const width = image.get_width()
  const height = image.get_height()
  const target = { data: new Uint8ClampedArray(width * height * 4), width, height }
  const shown = await new Promise<unknown>((resolve) => image.display(target, resolve))
  for (const one of images) one.free()
  return shown ? target : undefined
}

export const libheif: Engine = libraryEngine({
  id: 'libheif',
  purpose: 'reading HEIC photographs',
  licence: 'LGPL-3.0-or-later',
  package: 'libheif-js',
  abilities: ['decode heic'],
})
