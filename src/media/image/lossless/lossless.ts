/** Turns, crops and optimises JPEG files by rearranging their blocks: nothing is decoded and encoded again. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runJpegtran } from '../../../engines/pictures/jpegtran.ts'
import { decodeImage } from '../decode/decode.ts'
import { dropPreviews, hasPreview } from '../decode/previews.ts'
import type { ImageFrame, Size } from '../frame.ts'
import { dropCredentials, hasCredentials } from '../metadata/content-credentials.ts'
import { withoutGainMap } from '../metadata/gain-map.ts'
import type { Area } from './area.ts'
import { additionLoss, afterCut, type Cut, checkSource, cutOf, NO_CUT, onBlocks, warnOfCut } from './reports.ts'
import { argumentsOf, followedBy, NO_TURN, swapsSides, type Turn, turnOfOrientation } from './turns.ts'
import { markUpright } from './upright.ts'
import { checkSame } from './verify.ts'

export interface LosslessChange {
  /** Applied to the upright picture. */
  turn?: Turn
  /** Cut out of the upright picture: moved to the left and up to the edge of a block. */
  area?: Area
}

/** The part of a step's context that is used here. */
export interface LosslessContext {
  signal: AbortSignal
  scratch(): Promise<string>
  warn(message: string, manner?: 'advice'): void
}

let made = 0

/** Runs jpegtran on the picture's file; the result has no additional pictures. */
async function rearranged({ origin }: ImageFrame, args: readonly string[], { scratch, signal }: LosslessContext) {
  made += 1
  const path = join(await scratch(), `lossless-${made}.jpg`)
  await runJpegtran(origin.path, path, args, signal)
  return { path, jpeg: withoutGainMap(await readFile(path)) }
}

const codingOf = ({ origin }: ImageFrame): string[] => (origin.metadata.isProgressive ? ['-progressive'] : [])

/** Opens a file of the scratch folder as the same picture, to be written as it is. */
async function opened({ origin, target }: ImageFrame, path: string): Promise<ImageFrame> {
  const { size } = await stat(path)
  const frame = await decodeImage({ path, name: origin.name, bytes: size, type: origin.type })
  return frame.withTarget({ ...target, verbatim: true })
}

/** Writes a rearranged picture whose metadata must follow. */
async function finished(frame: ImageFrame, path: string, jpeg: Buffer, size: Size): Promise<ImageFrame> {
  markUpright(jpeg, size)
  await writeFile(path, jpeg)
  // Thumbnails show the picture as it was.
  if (hasPreview(frame.origin.metadata)) await dropPreviews(path)
  return opened(frame, path)
}

/** Turns the stored picture; the result is upright. */
async function turned(frame: ImageFrame, turn: Turn, { stored }: Cut, context: LosslessContext): Promise<ImageFrame> {
  const { origin } = frame
  const kept = { width: origin.metadata.width - stored.width, height: origin.metadata.height - stored.height }
  const { path, jpeg } = await rearranged(frame, [...codingOf(frame), '-trim', ...argumentsOf(turn)], context)
  const size = swapsSides(turn) ? { width: kept.height, height: kept.width } : kept
  const result = await finished(frame, path, jpeg, size)
  await checkSame(origin.path, path, origin.name, { left: 0, top: 0, ...kept }, turn)
  return result
}

/** Cuts an area out of an upright picture, of which a turn has cut something before. */
async function cropped(frame: ImageFrame, wanted: Area, cut: Cut, context: LosslessContext): Promise<ImageFrame> {
  const { origin } = frame
  const inside = afterCut(wanted, cut, context.warn)
  const area = onBlocks(inside, cut.upright, await readFile(origin.path), context.warn)
  const { left, top, width, height } = area
  const place = `${width}x${height}+${left}+${top}`
  const { path, jpeg } = await rearranged(frame, [...codingOf(frame), '-crop', place], context)
  const result = await finished(frame, path, jpeg, area)
  await checkSame(origin.path, path, origin.name, area)
  return result
}

/** Warns of what the new file cannot keep, and removes it. */
async function withoutAdditions(given: ImageFrame, result: ImageFrame, context: LosslessContext): Promise<ImageFrame> {
  const { origin } = given
  const loss = additionLoss(await readFile(origin.path), given)
  if (loss) context.warn(loss)
  if (!(await hasCredentials(origin.path, 'jpg', origin.held))) return result
  context.warn(await dropCredentials(result.origin.path, 'jpg', origin.name))
  return opened(result, result.origin.path)
}

/**
 * Turns and crops a JPEG without encoding it again. The result is upright, keeps profile and metadata except
 * thumbnails, and is written as it is if no later step changes it.
 * @throws TARGET_UNREACHABLE for anything but an unchanged JPEG; ENGINE_UNAVAILABLE without jpegtran
 */
export async function changeLossless(
  frame: ImageFrame,
  { turn = NO_TURN, area }: LosslessChange,
  context: LosslessContext,
): Promise<ImageFrame> {
  checkSource(frame)
  const whole = followedBy(turnOfOrientation(frame.origin.metadata.orientation), turn)
  const isTurned = argumentsOf(whole).length > 0
  if (!isTurned && !area) return frame.withTarget({ verbatim: true })
  const cut = isTurned ? cutOf(frame, await readFile(frame.origin.path), whole) : NO_CUT
  if (!area) warnOfCut(cut.stored, frame.origin.metadata, cut.block, context.warn)
  const upright = isTurned ? await turned(frame, whole, cut, context) : frame
  return withoutAdditions(frame, area ? await cropped(upright, area, cut, context) : upright, context)
}

/**
 * Makes a JPEG smaller without changing a pixel: better Huffman tables, or progressive if that is smaller. Keeps its
 * orientation and thumbnail. The input itself if nothing is smaller.
 * @throws as changeLossless
 */
export async function optimiseLossless(frame: ImageFrame, context: LosslessContext): Promise<ImageFrame> {
  checkSource(frame)
  const { origin } = frame
  const [plain, progressive] = [
    await rearranged(frame, [], context),
    await rearranged(frame, ['-progressive'], context),
  ]
  const { path, jpeg } = progressive.jpeg.length < plain.jpeg.length ? progressive : plain
  if (jpeg.length >= origin.bytes) return frame.withTarget({ verbatim: true })
  await writeFile(path, jpeg)
  const { width, height } = origin.metadata
  await checkSame(origin.path, path, origin.name, { left: 0, top: 0, width, height })
  return withoutAdditions(frame, await opened(frame, path), context)
}
