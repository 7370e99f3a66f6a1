/** Checks of what the functions of a plugin's format return. */
import { MediaprocError } from '../../errors.ts'
import type { FormatPicture } from './format.ts'

/** Declared width, height and number of frames. */
export interface DeclaredSize {
  width: number
  height: number
  frames: number
}

/** @param what the format and its plugin, for the message */
const wrong = (what: string, fault: string): MediaprocError =>
  new MediaprocError('INVALID_PLUGIN', `${what} ${fault}`, { hint: 'Report this to the author of the plugin.' })

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

/** @throws MediaprocError INVALID_PLUGIN when it is not a size */
export function checkedSize(size: unknown, what: string): DeclaredSize {
  const { width, height, frames = 1 } = (size ?? {}) as Partial<DeclaredSize>
  if (isCount(width) && isCount(height) && isCount(frames)) return { width, height, frames }
  throw wrong(what, `declares a picture of ${width} × ${height} pixels and ${frames} frames`)
}

const describe = (value: unknown): string =>
  ArrayBuffer.isView(value) ? `${value.constructor.name} of ${(value as Uint8Array).length}` : typeof value

const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && !(value instanceof DataView) && (value as Uint8Array).BYTES_PER_ELEMENT === 1

/** @throws MediaprocError INVALID_PLUGIN with what is wrong, and the name of the format */
export function checkedPicture(given: unknown, size: DeclaredSize, what: string): FormatPicture {
  const picture = (given ?? {}) as FormatPicture
  const { width, height, channels, bitDepth, pixels, iccProfile, frames = [] } = picture
  if (width !== size.width || height !== size.height)
    throw wrong(what, `returned ${width} × ${height} pixels for a picture of ${size.width} × ${size.height}`)
  if (![1, 2, 3, 4].includes(channels)) throw wrong(what, `returned ${channels} channels instead of 1 to 4`)
  if (bitDepth !== 8 && bitDepth !== 16) throw wrong(what, `returned a bitDepth of ${bitDepth} instead of 8 or 16`)
  const samples = width * height * channels
  const isRight = bitDepth === 8 ? isBytes(pixels) : pixels instanceof Uint16Array
  if (!isRight || pixels.length !== samples) {
    const expected = `Uint${bitDepth}Array of ${samples}`
    throw wrong(what, `returned a ${describe(pixels)} instead of a ${expected} as pixels`)
  }
  if (iccProfile !== undefined && !isBytes(iccProfile)) throw wrong(what, 'returned an iccProfile that is not bytes')
  if (!Array.isArray(frames) || frames.length + 1 !== size.frames)
    throw wrong(what, `returned ${Array.isArray(frames) ? frames.length + 1 : 'no'} frames instead of ${size.frames}`)
  for (const { pixels: more } of frames)
    if (bitDepth !== 8 || !isBytes(more) || more.length !== samples)
      throw wrong(what, `returned a ${describe(more)} instead of a Uint8Array of ${samples} as a frame`)
  return picture
}
