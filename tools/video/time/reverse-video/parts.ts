import { join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo, type Stream } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import type { Written } from '../../../../src/engines/ffmpeg/progress.ts'
import { CROP_TO_EVEN, encoderOf, takesEvenOnly } from '../../../../src/media/av/codecs.ts'
import type { AvSource } from '../../../../src/media/av/input/part.ts'
import { isSteady } from '../../../../src/media/av/measure/steady.ts'
import type { PicturePlan } from '../../../../src/media/av/picture/plan.ts'
import { seconds, seeksExactly } from '../../../../src/media/av/range.ts'

/** Memory limit for the filter, which holds all decoded frames of a part, bytes. */
const MAX_HELD_BYTES = 512 * 1024 * 1024

/** Assumed for a video that does not specify its frame rate. */
const USUAL_RATE = 25

/** A reversed part of a video. */
export interface ReversedPart {
  path: string
  /** How long the previous frame stays because there is no new one, seconds. */
  pauseBeforeS: number
  /** Time until the next part starts, seconds. */
  lengthS: number
}

interface ReversingOptions {
  signal: AbortSignal
  progress(fraction: number): void
  /** Called when the source is damaged; once for every part that reads it. */
  warn?(message: string): void
  /** Maximum decoded frames in memory, bytes; MAX_HELD_BYTES by default. */
  heldBytes?: number
}

/** Bytes per decoded frame, by pixel format; for an unknown format, the usual maximum. */
function frameBytes({ width = 1920, height = 1080, pixelFormat = 'rgba64' }: Stream): number {
  const isDeep = /(9|10|12|14|16)(le|be)$|64/.test(pixelFormat)
  const perPixel = /420|nv12|nv21/.test(pixelFormat)
    ? 1.5
    : /422/.test(pixelFormat)
      ? 2
      : /gray/.test(pixelFormat)
        ? 1
        : 4
  return width * height * perPixel * (isDeep ? 2 : 1)
}

/** A copy of only the video stream in a file with an index; the original file if it has one, or cannot be copied. */
async function seekable(
  source: AvSource,
  folder: string,
  signal: AbortSignal,
): Promise<{ path: string; map: string; seeks: boolean }> {
  const map = `0:${mainVideo(source.info).index}`
  if (seeksExactly(source)) return { path: source.path, map, seeks: true }
  const path = join(folder, 'indexed.mkv')
  try {
    const copy = ['-map', map, '-c', 'copy', '-f', 'matroska', `file:${path}`]
    await runFfmpeg(['-fflags', '+genpts', ...inputArguments(source.path), ...copy], { signal })
    return { path, map: '0:0', seeks: true }
  } catch (error) {
    if (signal.aborted) throw error
    // Frames without timestamps cannot be copied; every part is then decoded from the start of the file.
    return { path: source.path, map, seeks: false }
  }
}

/** Options that read from the whole second before a time, and the resulting offset of times. */
function seekTo(startS: number, seeks: boolean): { options: string[]; offsetS: number } {
  // A whole second is exact in every time base, so that a frame at an edge belongs to exactly one part.
  const offsetS = seeks ? Math.max(0, Math.floor(startS) - 1) : 0
  return { options: offsetS > 0 ? ['-ss', String(offsetS)] : [], offsetS }
}

/**
 * Reverses the video stream in parts, from the last to the first, each encoded like the output. Only the frames of one
 * part are in memory.
 * @param folder for the parts
 * @param picture how the video is encoded
 */
export async function writeReversedParts(
  source: AvSource,
  { before, after, options: codec, order }: PicturePlan,
  folder: string,
  { signal, progress, warn, heldBytes = MAX_HELD_BYTES }: ReversingOptions,
): Promise<ReversedPart[]> {
  const stream = mainVideo(source.info)
  const { frameRate = USUAL_RATE } = stream
  const { path: input, map, seeks } = await seekable(source, folder, signal)
  const frames = Math.max(1, Math.floor(heldBytes / frameBytes(stream)))
  const partS = frames / frameRate
  const durationS = source.info.durationS ?? stream.durationS ?? partS
  const count = Math.max(1, Math.ceil(durationS / partS))
  const even = takesEvenOnly(encoderOf(codec, 'v')) ? [CROP_TO_EVEN] : []
  // The field shown last is now the first.
  const swapped = order ? [`setfield=${order === 'tff' ? 'bff' : 'tff'}`] : []
  // The filter assigns timestamps in their original order, which is correct only for a constant rate.
  const steady = (await isSteady(source, frameRate, signal)) ? [] : [`fps=${frameRate}`]
  const parts: ReversedPart[] = []
  let pauseBeforeS = 0
  for (let number = count - 1; number >= 0; number -= 1) {
    const startS = number * partS
    const { options, offsetS } = seekTo(startS, seeks)
    const isLast = number === count - 1
    const end = isLast ? '' : `:end=${seconds(startS + partS - offsetS)}`
    const filters = [
      ...before,
      `trim=start=${seconds(startS - offsetS)}${end}`,
      'setpts=PTS-STARTPTS',
      ...steady,
      ...even,
      'reverse',
      ...[...swapped, ...after],
    ]
    const path = join(folder, `part-${number}.nut`)
    const written: Written = {}
    const done = count - 1 - number
    await runFfmpeg(
      [
        ...[...options, ...inputArguments(input), '-map', map, '-vf', filters.join(','), ...codec],
        ...['-an', '-sn', '-dn', '-f', 'nut', `file:${path}`],
      ],
      {
        ...{ signal, written, durationS: Math.min(partS, durationS), ...(warn && { warn }) },
        onProgress: (fraction) => progress((done + fraction) / count),
        what: 'Reversing',
      },
    )
    // If the audio is longer than the video, or a frame lasts long, there is no frame to show at first.
    const wholeS = isLast ? durationS - startS : partS
    const shownS = (written.frames ?? 0) / frameRate
    const missingS = wholeS - shownS > 1.5 / frameRate ? wholeS - shownS : 0
    pauseBeforeS += missingS
    if (written.frames) {
      parts.push({ path, pauseBeforeS, lengthS: isLast ? shownS : wholeS - missingS })
      pauseBeforeS = 0
    }
  }
  return parts
}
