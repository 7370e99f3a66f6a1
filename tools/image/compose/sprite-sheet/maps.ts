import { zip } from '../../../../src/lists.ts'
import { stemOf } from '../../../../src/media/file.ts'
import { uniqueNames } from '../../../../src/media/unique-names.ts'

export interface SpriteFrame {
  index: number
  left: number
  top: number
  width: number
  height: number
  /** If transparent margins are removed: the size of the image, and the position of the rest in it, px. */
  trimmed?: { left: number; top: number; width: number; height: number }
}

export interface SpriteSheet {
  /** The file name of the image. */
  image: string
  /** Size of the image, px. */
  width: number
  height: number
  frames: readonly SpriteFrame[]
  /** Pixels of the image per CSS pixel. */
  density: number
  /** File names of the inputs, in the order of the frames. */
  names: readonly string[]
}

/** How the maps name the image. */
export const jsonMention = (image: string): string => `"image": ${JSON.stringify(image)}`
export const cssMention = (image: string): string => `url(${JSON.stringify(image)})`

/** The map in the format of game engines: TexturePacker's "JSON (Hash)", with the input's file names as keys. */
export function jsonMap({ image, width, height, frames, density, names }: SpriteSheet): string {
  const keys = uniqueNames(names)
  const entries = zip(keys, frames).map(([key, { left, top, width: w, height: h, trimmed }]) => [
    key,
    {
      frame: { x: left, y: top, w, h },
      rotated: false,
      trimmed: trimmed !== undefined,
      spriteSourceSize: { x: trimmed?.left ?? 0, y: trimmed?.top ?? 0, w, h },
      sourceSize: { w: trimmed?.width ?? w, h: trimmed?.height ?? h },
    },
  ])
  const meta = { app: 'mediaproc', image, size: { w: width, h: height }, scale: String(density) }
  return `${JSON.stringify({ frames: Object.fromEntries(entries), meta }, null, 2)}\n`
}

/** A file's stem as a class name suffix: letters, digits, - and _ only. */
const classOf = (name: string): string =>
  stemOf(name)
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}_-]+/gu, '-')
    .replace(/^-+|-+$/g, '') || 'image'

/** One class for the sheet and one for every image: `<i class="sprite sprite-home"></i>`. */
export function cssMap({ image, width, height, frames, density, names }: SpriteSheet): string {
  const classes = uniqueNames(names.map(classOf))
  const px = (length: number): string => `${Number((length / density).toFixed(3))}px`
  const shift = (distance: number): string => (distance === 0 ? '0' : `-${px(distance)}`)
  const rules = frames.map(
    ({ index, left, top, width: across, height: down }) =>
      `.sprite-${classes[index]} {\n  width: ${px(across)};\n  height: ${px(down)};\n  background-position: ${shift(left)} ${shift(top)};\n}`,
  )
  const sheet = `.sprite {\n  display: inline-block;\n  background-image: ${cssMention(image)};\n  background-repeat: no-repeat;\n  background-size: ${px(width)} ${px(height)};\n}`
  return `${[sheet, ...rules].join('\n\n')}\n`
}
