import type { BarcodeReader, FoundCode, Point } from '../../../src/engines/zxing.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'

/** One look at a picture: made so many times as large, and turned by so many degrees clockwise. */
interface Look {
  scale: number
  angle: number
  /** Contrast stretched, for pale or dark prints. */
  stretched?: boolean
}

/** Longer sides are looked at in this size, when the picture is turned; px. */
const TURNED_SIDE = 1600
/** The same for the last looks, with more contrast. */
const HARDER_SIDE = 2200
/** Smaller pictures are looked at twice as large: bars of one pixel are hard to read. */
const SMALL_SIDE = 700
/** Linear codes are found within some 15 degrees of upright; quarter turns are the reader's own. */
const ANGLES = [15, 30, 45, 60, 75]

/** The reader finds linear codes that are nearly upright only: the others need the picture turned. */
function turnedLooks({ width, height }: ImageFrame): Look[] {
  const scale = Math.min(1, TURNED_SIDE / Math.max(width, height))
  return ANGLES.map((angle) => ({ scale, angle }))
}

/** In the order in which they are tried when nothing was found so far; the first that finds something ends the search. */
function harderLooks({ width, height }: ImageFrame): Look[] {
  const longer = Math.max(width, height)
  const isSmall = longer < SMALL_SIDE
  const last = isSmall ? 2 : Math.min(1, HARDER_SIDE / longer)
  const scales = isSmall ? [2, 3] : [0.5]
  return [
    { scale: 1, angle: 0, stretched: true },
    ...scales.map((scale) => ({ scale, angle: 0 })),
    ...ANGLES.map((angle) => ({ scale: last, angle, stretched: true })),
  ]
}

const centre = ({ corners }: FoundCode): Point => ({
  x: corners.reduce((sum, { x }) => sum + x, 0) / 4,
  y: corners.reduce((sum, { y }) => sum + y, 0) / 4,
})

/** Whether a code stands where one was found before: a turned look may see part of it once more. */
function isKnown(found: readonly FoundCode[], code: FoundCode): boolean {
  const { x, y } = centre(code)
  return found.some(({ corners }) => {
    const [across, down] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)]
    const isInside = (value: number, values: number[]): boolean => {
      const margin = Math.max(10, (Math.max(...values) - Math.min(...values)) / 10)
      return value >= Math.min(...values) - margin && value <= Math.max(...values) + margin
    }
    return isInside(x, across) && isInside(y, down)
  })
}

/** Where a point of a look is in the picture itself. */
function placed({ x, y }: Point, { scale, angle }: Look, frame: ImageFrame, turned: { width: number; height: number }) {
  const radians = (-angle * Math.PI) / 180
  const [across, down] = [x - turned.width / 2, y - turned.height / 2]
  const back = {
    x: across * Math.cos(radians) - down * Math.sin(radians) + (frame.width * scale) / 2,
    y: across * Math.sin(radians) + down * Math.cos(radians) + (frame.height * scale) / 2,
  }
  const within = (value: number, most: number): number => Math.round(Math.min(most, Math.max(0, value / scale)))
  return { x: within(back.x, frame.width), y: within(back.y, frame.height) }
}

async function lookOnce(frame: ImageFrame, reader: BarcodeReader, look: Look): Promise<FoundCode[]> {
  const { scale, angle, stretched = false } = look
  let image = (await frame.pipeline()).flatten({ background: '#ffffff' })
  if (scale !== 1) image = image.resize({ width: Math.max(1, Math.round(frame.width * scale)) })
  if (stretched) image = image.greyscale().normalise()
  if (angle !== 0) image = image.rotate(angle, { background: '#ffffff' })
  const { data, info } = await image
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const found = await reader.read({ data, width: info.width, height: info.height }, true)
  return found.map((code) => ({
    ...code,
    corners: code.corners.map((corner) => placed(corner, look, frame, info)) as FoundCode['corners'],
  }))
}

/**
 * All codes in a picture, upright ones first. With `tryHarder` it is also looked at turned, and when nothing was found,
 * larger and with more contrast.
 * @param frame of one page, in sRGB
 */
export async function findCodes(
  frame: ImageFrame,
  reader: BarcodeReader,
  tryHarder: boolean,
  onProgress: (part: number) => void,
): Promise<FoundCode[]> {
  const settled = await frame.settled()
  const found = await lookOnce(settled, reader, { scale: 1, angle: 0 })
  if (!tryHarder) return found
  const [turned, harder] = [turnedLooks(settled), harderLooks(settled)]
  const count = turned.length + harder.length + 1
  for (const [index, look] of [...turned, ...harder].entries()) {
    if (index >= turned.length && found.length > 0) break
    onProgress((index + 1) / count)
    for (const code of await lookOnce(settled, reader, look)) if (!isKnown(found, code)) found.push(code)
  }
  return found
}
