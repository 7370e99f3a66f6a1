import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtFile } from '../../root.ts'
import type { Engine } from '../engine.ts'
import { importPackage, libraryEngine, packageFolder } from '../library.ts'
import type { HeicRequest, HeicRole } from '../workers/heic-worker.ts'
import { askWorker } from '../workers/worker-thread.ts'

/** RGBA, 8 bits. */
export interface Rgba {
  width: number
  height: number
  data: Uint8Array
}

const icodecFolder = (): string | undefined => packageFolder('icodec', 'icodec/node')

export function hasIcodec(): boolean {
  return icodecFolder() !== undefined
}

const loadIcodec = () => importPackage<typeof import('icodec/node')>('icodec', 'icodec/node')

// Node's types allow shared memory, which readFile does not use.
const wasm = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  (await readFile(join(icodecFolder()!, 'dist', name))) as Uint8Array<ArrayBuffer>

const asImage = ({ width, height, data }: Rgba) => ({
  width,
  height,
  depth: 8,
  data: new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength),
})

/** JPEG XL bytes; quality is 1 to 100, 100 is lossless. */
export async function encodeJxlWasm(image: Rgba, quality: number): Promise<Uint8Array> {
  const { jxl } = await loadIcodec()
  await jxl.loadEncoder(await wasm('jxl-enc.wasm'))
  // Effort 5 of 9: measured at 2.4 s for 6 megapixels; 7, the default, takes several times that.
  return jxl.encode(asImage(image), { quality, lossless: quality === 100, effort: 5 })
}

/** The pixels of a JPEG XL file. For damaged files throws the library's error. */
export async function decodeJxlWasm(bytes: Uint8Array): Promise<Rgba & { depth: number }> {
  const { jxl } = await loadIcodec()
  await jxl.loadDecoder(await wasm('jxl-dec.wasm'))
  const { width, height, data, depth } = jxl.decode(bytes as Uint8Array<ArrayBuffer>) as unknown as Rgba & {
    depth?: number
  }
  return { width, height, data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength), depth: depth ?? 8 }
}

/**
 * HEIC bytes by x265 in WebAssembly; quality 0 to 100. It needs threads, and the package's own loader supports only
 * browser threads, so it runs in a worker that provides them (heic-worker.ts).
 */
export async function encodeHeicWasm(image: Rgba, quality: number): Promise<Uint8Array> {
  const module = pathToFileURL(join(icodecFolder()!, 'dist', 'heic-enc.js')).href
  return askWorker<HeicRequest, Uint8Array>(
    builtFile('src/engines/workers/heic-worker.js'),
    { wasmBinary: await wasm('heic-enc.wasm'), image: asImage(image), quality },
    { data: { role: 'encoder', module } satisfies HeicRole },
  )
}

export const icodec: Engine = libraryEngine({
  id: 'icodec',
  purpose: 'JPEG XL both ways and writing HEIC, when no program for it is installed',
  licence: 'MIT; contains x265 (GPL-2.0-or-later), libheif (LGPL-3.0), libjxl (BSD-3-Clause)',
  package: 'icodec',
  entry: 'icodec/node',
  pack: 'icodec',
  abilities: ['encode jxl', 'decode jxl', 'encode heic'],
})
