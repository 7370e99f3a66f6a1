import { mainVideo } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import type { KeyFrame, Survey } from '../../../../src/media/av/input/key-frames.ts'
import type { AvSource } from '../../../../src/media/av/input/part.ts'
import { withEnds, withoutSame } from '../../../../src/media/av/labels/chapters.ts'
import { sceneChanges } from '../../../../src/media/av/measure/scenes.ts'
import { seeksExactly, USUAL_RATE } from '../../../../src/media/av/range.ts'
import { printableName } from '../../../../src/media/file.ts'
import { counted } from '../../../../src/wording.ts'

/** A cut is requested here; the part after it may have a title. */
export interface Cut {
  timeS: number
  title?: string
}

/** More parts than a folder should contain. */
export const MAX_PARTS = 2000

export interface CutSettings {
  by: 'scenes' | 'chapters' | 'length' | 'size'
  sensitivity: number
  minSceneS: number
  partS: number
  maxMb: number
}

/**
 * Where parts start; the first one starts at 0.
 * @throws INVALID_SETTINGS without chapters
 */
export async function cutsOf(
  source: AvSource,
  durationS: number,
  settings: CutSettings,
  survey: Survey,
  options: { signal: AbortSignal; onProgress(fraction: number): void; warn(message: string): void },
): Promise<Cut[]> {
  const { by, sensitivity, minSceneS, partS, maxMb } = settings
  if (by === 'chapters') return chapterCuts(source, durationS, options.warn)
  if (by === 'scenes') {
    // Of frames of unlike scenes, ffmpeg's score is mostly above 0.4, and below 0.1 within a scene.
    const threshold = Number((0.6 * (1 - sensitivity / 100)).toFixed(3))
    const changes = await sceneChanges(source, { threshold, minSceneS, ...options })
    return [{ timeS: 0 }, ...changes.map((timeS) => ({ timeS }))]
  }
  if (by === 'size') return sizeCuts(survey, (maxMb * 1e6 * survey.bytes) / source.info.sizeBytes)
  // Less than two frames are no part of their own.
  const restS = 1.5 / (mainVideo(source.info).frameRate ?? USUAL_RATE)
  return Array.from({ length: Math.max(1, Math.ceil((durationS - restS) / partS)) }, (_, index) => ({
    timeS: index * partS,
  }))
}

function chapterCuts(source: AvSource, durationS: number, warn: (message: string) => void): Cut[] {
  const chapters = withEnds(source.info.chapterList ?? [], durationS)
  if (chapters.length === 0)
    throw new MediaprocError('INVALID_SETTINGS', `${printableName(source.name)} has no chapters`, {
      hint: 'Split it by scenes, length or size, or add chapters with add-chapters.',
    })
  // A chapter without a length has no part.
  const cuts = withoutSame(chapters).map(({ startS, title }): Cut => ({ timeS: startS, ...(title && { title }) }))
  const same = chapters.length - cuts.length
  if (same > 0)
    warn(
      `${counted(same, 'chapter')} ${same === 1 ? 'starts' : 'start'} with another one and ${same === 1 ? 'has' : 'have'} no part`,
    )
  // What is before the first chapter is a part of its own.
  return (cuts[0]?.timeS ?? 0) > 0.5 ? [{ timeS: 0 }, ...cuts] : [{ ...cuts[0], timeS: 0 }, ...cuts.slice(1)]
}

/** Exact cuts without those after the last frame, where only files in which seeking is exact hold it. */
export const withPictures = (source: AvSource, cuts: readonly Cut[], { lastS }: Survey): Cut[] =>
  cuts.filter(({ timeS }) => timeS === 0 || timeS <= lastS || seeksExactly(source))

/** Share of the size that is left for the container's own data. */
const OVERHEAD = 0.02

/** Each part has as many groups of pictures as fit. */
function sizeCuts({ keys, bytes }: Survey, most: number): Cut[] {
  const limit = most * (1 - OVERHEAD)
  const cuts: Cut[] = [{ timeS: 0 }]
  let from = 0
  for (const [index, { timeS, offset }] of keys.entries()) {
    const next = keys[index + 1]?.offset ?? bytes
    if (next - from <= limit || offset === from || index === 0) continue
    cuts.push({ timeS })
    from = offset
  }
  return cuts
}

/** Cuts at key frames, so that no part is longer than a limit, unless a group of pictures is. */
export function lengthCuts(keys: readonly KeyFrame[], partS: number, durationS: number): Cut[] {
  const cuts: Cut[] = [{ timeS: 0 }]
  for (const [index, { timeS }] of keys.entries()) {
    const [fromS, nextS] = [cuts.at(-1)?.timeS ?? 0, keys[index + 1]?.timeS ?? durationS]
    if (timeS > fromS + 0.01 && nextS - fromS > partS + 0.01) cuts.push({ timeS })
  }
  return cuts
}

/**
 * Moves cuts to the nearest key frames, where copies can start.
 * @returns the cuts, and the farthest that one was moved, seconds. Cuts with the same key frame are one
 */
export function onKeyFrames(
  source: AvSource,
  cuts: readonly Cut[],
  keys: readonly KeyFrame[],
): { cuts: Cut[]; movedS: number } {
  const frameS = 1 / (mainVideo(source.info).frameRate ?? USUAL_RATE)
  const moved: Cut[] = []
  let movedS = 0
  for (const cut of cuts) {
    if (cut.timeS === 0) {
      moved.push(cut)
      continue
    }
    const distance = ({ timeS }: KeyFrame): number => Math.abs(timeS - cut.timeS)
    const nearest = keys.reduce<KeyFrame | undefined>(
      (best, key) => (best && distance(best) <= distance(key) ? best : key),
      undefined,
    )
    // Two cuts may have the same key frame.
    if (!nearest || nearest.timeS <= (moved.at(-1)?.timeS ?? 0) + frameS / 2) continue
    movedS = Math.max(movedS, distance(nearest) > frameS / 2 ? distance(nearest) : 0)
    moved.push({ ...cut, timeS: nearest.timeS })
  }
  return { cuts: moved, movedS }
}
