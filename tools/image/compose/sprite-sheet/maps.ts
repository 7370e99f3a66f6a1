import { zip } from '../../../../src/lists.ts'
import { stemOf } from '../../../../src/media/file.ts'
import { uniqueNames } from '../../../../src/media/unique-names.ts'

export interface SpriteFrame {
  index: number
  left: number
  top: number
  width: number
  height: number
}

export interface SpriteSheet {
  /** The file name of the image. */
  image: string
  /** Size of the image, px. */
  width: number
  height: number
  frames: readonly SpriteFrame[]
  /** File names of the inputs, in the order of the frames. */
  names: readonly string[]
}

/** The map in the format of game engines: TexturePacker's "JSON (Hash)", with the input's file names as keys. */
export function jsonMap({ image, width, height, frames, names }: SpriteSheet): string {
  const keys = uniqueNames(names)
  const entries = zip(keys, frames).map(([key, { left, top, width: w, height: h }]) => [
    key,
    {
      frame: { x: left, y: top, w, h },
      rotated: false,
      trimmed: false,
      spriteSourceSize: { x: 0, y: 0, w, h },
      sourceSize: { w, h },
    },
  ])
  const meta = { app: 'mediaproc', image, size: { w: width, h: height }, scale: '1' }
  return `${JSON.stringify({ frames: Object.fromEntries(entries), meta }, null, 2)}\n`
}

/** A file's stem as a class name suffix: letters, digits, - and _ only. */
const classOf = (name: string): string =>
  stemOf(name)
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}_-]+/gu, '-')
    .replace(/^-+|-+$/g, '') || 'image'

/** One class for the sheet and one for every image: `<i class="sprite sprite-home"></i>`. */
export function cssMap({ image, width, height, frames, names }: SpriteSheet): string {
  const classes = uniqueNames(names.map(classOf))
  const shift = (distance: number): string => (distance === 0 ? '0' : `-${distance}px`)
  const rules = frames.map(
    ({ index, left, top, width: across, height: down }) =>
      `.sprite-${classes[index]} {\n  width: ${across}px;\n  height: ${down}px;\n  background-position: ${shift(left)} ${shift(top)};\n}`,
  )
  const sheet = `.sprite {\n  display: inline-block;\n  background-image: url("${image}");\n  background-repeat: no-repeat;\n  background-size: ${width}px ${height}px;\n}`
  return `${[sheet, ...rules].join('\n\n')}\n`
}
