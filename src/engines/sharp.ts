import { accessSync, constants, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Metadata, Sharp, SharpInput, SharpOptions } from 'sharp'
import { environmentText } from '../environment.ts'
import { firstOf } from '../lists.ts'
import type { Engine, EngineStatus } from './engine.ts'
import { shippedFontsFolder } from './fonts.ts'

export type { Metadata, OverlayOptions, Sharp, SharpOptions } from 'sharp'

type SharpFunction = typeof import('sharp').default

/** Interleaved 8-bit pixels, row by row, without padding: the exchange format of engines. */
export interface RawPixels {
  width: number
  height: number
  channels: 1 | 2 | 3 | 4
  data: Buffer
}

let loaded: SharpFunction | undefined
/** The limits of libvips' operation cache before it was disabled; undefined while it is not. */
let cacheBefore: { memory: number; files: number; items: number } | undefined
let borrowers = 0

/** Whether a folder, or its nearest existing parent, is writable. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch (error) {
    const parent = dirname(folder)
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && parent !== folder && isWritable(parent)
  }
}

/** Configures our fonts for fontconfig before libvips is loaded, which is when fontconfig reads it. */
function useShippedFonts(): void {
  const path = join(shippedFontsFolder(), 'fonts.conf')
  if (!environmentText('FONTCONFIG_FILE') && existsSync(path)) process.env.FONTCONFIG_FILE = path
  // fontconfig prints an error for every font if it cannot write its cache (containers without a home folder).
  const cache = environmentText('XDG_CACHE_HOME') || join(homedir(), '.cache')
  if (!isWritable(cache)) process.env.XDG_CACHE_HOME = join(tmpdir(), 'mediaproc-cache')
  // On macOS and Windows, Pango would use the system's own font lookup.
  process.env.PANGOCAIRO_BACKEND ??= 'fontconfig'
}

/**
 * sharp, loaded on first use. Uses require: its CommonJS build loads 20 ms faster than its ES modules (measured on Node
 * 20.20). libvips' operation cache is disabled: a batch never processes the same image twice, and a file that was replaced
 * would be read from the cache.
 */
export function loadSharp(): SharpFunction {
  if (!loaded) {
    useShippedFonts()
    loaded = createRequire(import.meta.url)('sharp') as SharpFunction
  }
  if (!cacheBefore) {
    const { memory, files, items } = loaded.cache()
    cacheBefore = { memory: memory.max, files: files.max, items: items.max }
    loaded.cache(false)
  }
  return loaded
}

/**
 * For programs that use sharp themselves: the cache is one per process, so it gets its limits back when all that borrowed it
 * have returned it.
 * @returns returns it, once
 */
export function borrowSharpCache(): () => void {
  borrowers += 1
  return () => {
    borrowers -= 1
    if (borrowers > 0 || !loaded || !cacheBefore) return
    loaded.cache(cacheBefore)
    cacheBefore = undefined
  }
}

/**
 * A sharp pipeline with our input rules: damage is an error (a harmless warning is not), and `checkImageSize` checks
 * sizes before pixels are decoded, so that sharp's own limit does not apply first.
 *
 * A JPEG of full length with damage in its middle is accepted without an error. `failOn: 'warning'` would not help: in
 * baseline data libjpeg-turbo accepts wrong codes as valid unless they contain a marker (140 of 200 damaged files
 * passed, sharp 0.35); in progressive data it detects most, but at the cost of nearly a second decode (196 ms vs. 219
 * ms). sharp's event `warning` is not an alternative: it is emitted late, with another image, or not at all.
 */
export async function openSharp(input: SharpInput | undefined, options: SharpOptions = {}): Promise<Sharp> {
  const sharp = loadSharp()
  const rules = { failOn: 'error' as const, limitInputPixels: false, ...options }
  return input === undefined ? sharp(rules) : sharp(input, rules)
}

/** A pipeline from raw pixels. */
export function openRawPixels({ data, width, height, channels }: RawPixels): Promise<Sharp> {
  return openSharp(data, { raw: { width, height, channels } })
}

/** Image header data as read by sharp. */
export async function readMetadata(input: SharpInput, options: SharpOptions = {}): Promise<Metadata> {
  return (await openSharp(input, options)).metadata()
}

export const sharpEngine: Engine = {
  id: 'sharp',
  purpose: 'images: JPEG, PNG, WebP, AVIF, GIF, TIFF, SVG (libvips)',
  kind: 'library',
  licence: 'Apache-2.0, libvips LGPL-3.0-or-later',
  install: 'npm install sharp',
  async probe(): Promise<EngineStatus> {
    try {
      const sharp = loadSharp()
      const { versions } = sharp
      return {
        available: true,
        version: `${versions.sharp} (libvips ${versions.vips})`,
        path: 'sharp',
        source: 'package',
        abilities: Object.values(sharp.format)
          .filter((format) => format.output.buffer)
          .map((format) => `encode ${format.id}`),
      }
    } catch (error) {
      return { available: false, warning: firstOf(String((error as Error).message).split('\n')) }
    }
  },
}
