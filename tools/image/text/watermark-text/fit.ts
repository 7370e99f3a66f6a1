import { fitTextSize, LINE_HEIGHT } from '../../../../src/media/image/text/text.ts'

/** Inputs for the size of a watermark. */
export interface FitOptions {
  text: string
  font: string
  fontSize: number
  position: string
  /** Degrees. */
  rotation: number
}

interface Size {
  width: number
  height: number
}

/** Minimum readable font size; below it, words are broken. */
const SMALLEST = 8

/** The largest size up to the requested one at which the text fits, and the width at which its lines break. */
async function fittedIn(
  { text, font, fontSize }: FitOptions,
  box: (size: number) => Size,
): Promise<{ size: number; maxWidth: number }> {
  const whole = await fitTextSize(text, font, box, { smallest: SMALLEST, largest: fontSize })
  const size = whole === Math.floor(fontSize) ? fontSize : whole
  return { size, maxWidth: Math.max(1, box(size).width) }
}

/**
 * The font size that fits a page, at most the requested one: long text is first broken into lines, then shrunk. Slanted
 * text is one line along the slope or a block of lines, whichever is larger.
 */
export async function fittedMark(page: Size, options: FitOptions): Promise<{ size: number; maxWidth: number }> {
  const radians = (options.rotation * Math.PI) / 180
  const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))]
  const [along, across] = cos >= sin ? [page.width, page.height] : [page.height, page.width]
  if (options.position !== 'center' && options.position !== 'tiled')
    return fittedIn(options, (size) => ({ width: along - 1.5 * size, height: across - size }))
  // The page shrunk until it fits, rotated, inside itself.
  const scale = Math.min(page.width / (along * cos + across * sin), page.height / (along * sin + across * cos))
  const block = await fittedIn(options, (size) => ({ width: scale * along - size / 2, height: scale * across }))
  const line = await fittedIn(options, (size) => {
    const height = LINE_HEIGHT * size
    const width = Math.min(
      (page.width - height * sin) / Math.max(cos, 1e-9),
      (page.height - height * cos) / Math.max(sin, 1e-9),
    )
    return { width, height }
  })
  return line.size > block.size || line.size === options.fontSize ? line : block
}
