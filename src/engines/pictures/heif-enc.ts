import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { type Engine, type EngineStatus, installCommand } from '../engine.ts'
import { runProgram } from '../process/process.ts'
import { findProgram } from '../process/programs.ts'
import { withTemporaryFolder } from '../process/temporary.ts'
import { openRawPixels, type RawPixels } from '../sharp.ts'
import { encodeHeicWasm, hasIcodec } from './icodec.ts'

export const findHeifEnc = () => findProgram({ environment: 'MEDIAPROC_HEIF_ENC', names: ['heif-enc'] })

/** Whether the program is installed; it accepts a PNG with its profile. */
export async function hasHeifEnc(): Promise<boolean> {
  return (await findHeifEnc()) !== undefined
}

/**
 * The largest side of HEVC's levels below 5 in whole coding units of 8: √(8 × 2,228,224) luma samples (ITU-T H.265,
 * A.4.1). From level 5 on coding tree units must be larger than 16 (A.4.2), and libheif chooses 16 if a side is below
 * 32: x265 then rejects the image ("Invalid image size").
 */
const SIDE_OF_LEVEL_4 = 4216
const THIN = 32

const isLongAndThin = ({ width, height }: PictureSize): boolean =>
  Math.max(width, height) > SIDE_OF_LEVEL_4 && Math.min(width, height) < THIN

type PictureSize = Pick<RawPixels, 'width' | 'height'>

/** Encodes a PNG as HEIC with heif-enc (five times faster than icodec); keeps the profile; quality 1 to 100. */
export async function encodeHeicPng(png: Buffer, size: PictureSize, quality: number): Promise<Buffer> {
  const program = await findHeifEnc()
  if (!program) throw encoderMissing()
  return withTemporaryFolder(async (folder) => {
    const input = join(folder, 'in.png')
    const output = join(folder, 'out.heic')
    await writeFile(input, png)
    const units = isLongAndThin(size) ? ['-p', `x265:ctu=${THIN}`] : []
    await runProgram(program.path, ['-q', String(Math.round(quality)), ...units, '-o', output, input], {
      what: 'heif-enc',
    })
    return readFile(output)
  })
}

function encoderMissing(): MediaprocError {
  return new MediaprocError('ENGINE_UNAVAILABLE', 'Writing HEIC needs heif-enc or icodec, and neither is installed', {
    hint: `Install one: ${installCommand('icodec')}, or apt-get install libheif-examples`,
    fields: { engine: 'icodec', pack: 'icodec' },
  })
}

/**
 * Encodes 8-bit sRGB pixels as HEIC with icodec; quality 1 to 100.
 * @throws ENGINE_UNAVAILABLE with the install command; TARGET_UNREACHABLE for images that are too long for their height
 * or width
 */
export async function encodeHeic(pixels: RawPixels, quality: number): Promise<Buffer> {
  if (!hasIcodec()) throw encoderMissing()
  const { width, height } = pixels
  if (isLongAndThin(pixels))
    throw new MediaprocError(
      'TARGET_UNREACHABLE',
      `The picture is ${width} x ${height} pixels; without heif-enc a HEIC picture with a side below ${THIN} pixels has at most ${SIDE_OF_LEVEL_4} on the other`,
      { hint: 'Install heif-enc (apt-get install libheif-examples), or choose another format such as png.' },
    )
  const rgba = await (await openRawPixels(pixels)).toColourspace('srgb').ensureAlpha().raw().toBuffer()
  return Buffer.from(await encodeHeicWasm({ width, height, data: rgba }, quality))
}

export const heifEnc: Engine = {
  id: 'heif-enc',
  purpose: 'writing HEIC, fast',
  kind: 'program',
  licence: 'LGPL-3.0-or-later, with x265 GPL-2.0-or-later',
  install: 'apt-get install libheif-examples',
  environment: 'MEDIAPROC_HEIF_ENC',
  async probe(): Promise<EngineStatus> {
    const program = await findHeifEnc().catch(() => undefined)
    if (!program) return { available: false }
    const { stdout, stderr } = await runProgram(program.path, ['--help'], { what: 'heif-enc', allowExit: [0, 1, 5] })
    const version = /version: *([\d.]+)/.exec(`${stdout}${stderr}`)?.[1]
    return {
      available: true,
      path: program.path,
      source: program.source === 'environment' ? 'environment' : 'path',
      ...(version && { version }),
      abilities: ['encode heic'],
    }
  },
}
