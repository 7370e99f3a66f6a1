import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { type Engine, type EngineStatus, installCommand } from '../engine.ts'
import { runProgram } from '../process/process.ts'
import { findProgram } from '../process/programs.ts'
import { withTemporaryFolder } from '../process/temporary.ts'
import { openRawPixels, type RawPixels } from '../sharp.ts'
import { decodeJxlWasm, encodeJxlWasm } from '../workers/pixels-thread.ts'
import { hasIcodec } from './icodec.ts'

export const findCjxl = () => findProgram({ environment: 'MEDIAPROC_CJXL', names: ['cjxl'] })
export const findDjxl = () => findProgram({ environment: 'MEDIAPROC_DJXL', names: ['djxl'] })

const missing = (what: string): MediaprocError =>
  new MediaprocError(
    'ENGINE_UNAVAILABLE',
    `${what} JPEG XL needs libjxl's programs or icodec, and neither is installed`,
    {
      hint: `Install one: ${installCommand('icodec')}, or apt-get install libjxl-tools`,
      fields: { engine: 'icodec', pack: 'icodec' },
    },
  )

/** Whether libjxl's encoder is installed; it accepts a PNG with its profile and 16 bits. */
export async function hasCjxl(): Promise<boolean> {
  return (await findCjxl()) !== undefined
}

/** Encodes a PNG as JPEG XL with cjxl; keeps profile and depth; quality 1 to 100, 100 is lossless. */
export async function encodeJxlPng(png: Buffer, quality: number): Promise<Buffer> {
  const program = await findCjxl()
  if (!program) throw missing('Writing')
  return withTemporaryFolder(async (folder) => {
    const input = join(folder, 'in.png')
    const output = join(folder, 'out.jxl')
    await writeFile(input, png)
    await runProgram(program.path, [input, output, '-q', String(Math.round(quality)), '--quiet'], { what: 'cjxl' })
    return readFile(output)
  })
}

/** Encodes 8-bit sRGB pixels as JPEG XL with icodec; quality 1 to 100, 100 is lossless. */
export async function encodeJxl(pixels: RawPixels, quality: number): Promise<Buffer> {
  if (!hasIcodec()) throw missing('Writing')
  const { width, height } = pixels
  const image = await openRawPixels(pixels)
  const rgba = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer()
  return Buffer.from(await encodeJxlWasm({ width, height, data: rgba }, quality))
}

/** Samples are RGBA, in the machine's byte order if 16-bit. */
export interface JxlPixels {
  width: number
  height: number
  depth: 8 | 16
  data: Uint8Array | Uint16Array
}

/** The image: as a PNG with 16 bits, profile and alpha if djxl is installed, otherwise as pixels from icodec. */
export async function decodeJxl(
  path: string,
  bytes: Uint8Array,
  stop: { signal?: AbortSignal } = {},
): Promise<{ png: Buffer } | JxlPixels> {
  const program = await findDjxl()
  if (program)
    return withTemporaryFolder(async (folder) => {
      const output = join(folder, 'out.png')
      await runProgram(program.path, [resolve(path), output], { what: 'djxl', ...stop })
      return { png: await readFile(output) }
    })
  if (!hasIcodec()) throw missing('Reading')
  const { width, height, data, depth } = await decodeJxlWasm(bytes, stop)
  if (depth === 8) return { width, height, depth: 8, data }
  return { width, height, depth: 16, data: new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2) }
}

export const libjxl: Engine = {
  id: 'libjxl',
  purpose: 'JPEG XL both ways, fast',
  kind: 'program',
  licence: 'BSD-3-Clause',
  install: 'apt-get install libjxl-tools',
  environment: 'MEDIAPROC_CJXL',
  async probe(): Promise<EngineStatus> {
    const [encoder, decoder] = await Promise.all([findCjxl(), findDjxl()]).catch(() => [])
    if (!encoder && !decoder) return { available: false }
    const program = (encoder ?? decoder)!
    const { stdout, stderr } = await runProgram(program.path, ['--version'], { what: 'cjxl', allowExit: [0, 1] })
    const version = /v([\d.]+)/.exec(`${stdout}${stderr}`)?.[1]
    return {
      available: true,
      path: program.path,
      source: program.source === 'environment' ? 'environment' : 'path',
      ...(version && { version }),
      abilities: [...(encoder ? ['encode jxl'] : []), ...(decoder ? ['decode jxl'] : [])],
    }
  },
}
