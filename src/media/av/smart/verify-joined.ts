import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { Written } from '../../../engines/ffmpeg/progress.ts'
import { seconds } from '../range.ts'
import { packetsAround, spanOf } from './edge.ts'
import type { ParameterSets } from './parameter-sets.ts'
import type { CutPlan } from './plan-cut.ts'
import type { Region } from './region.ts'
import { writeRegion } from './write-region.ts'

/** Up to this number of frames a joined video is decoded as a whole; otherwise around its joints. */
const WHOLE_FRAMES = 1500

/** Frames are compared as grey pictures of this width and height, px. */
const SIDE = 32
/** Mean difference of two such pictures at most, of 255: edges are encoded at a quality that is far below it. */
const SAME = 6

interface CheckOptions {
  /** Parameter sets of the source. */
  sets: ParameterSets
  folder: string
  signal: AbortSignal
}

/** Decodes frames as small pictures, in the order shown. */
async function decode(path: string, before: readonly string[], filters: readonly string[], options: CheckOptions) {
  const { folder, signal } = options
  const pictures = join(folder, 'pictures')
  const chain = [...filters, `scale=${SIDE}:${SIDE}:flags=area`, 'format=gray'].join(',')
  const input = ['-noautorotate', ...before, ...inputArguments(path), '-map', '0:v:0', '-vf', chain]
  const written: Written = {}
  const said = await runFfmpeg([...input, '-vsync', 'passthrough', '-f', 'rawvideo', `file:${pictures}`], {
    ...{ signal, written, what: 'Checking the joints' },
  })
  const bytes = await readFile(pictures)
  const frames = Array.from({ length: bytes.length / SIDE ** 2 }, (_, index) =>
    bytes.subarray(index * SIDE ** 2, (index + 1) * SIDE ** 2),
  )
  return { frames, hasErrors: said.trim() !== '' }
}

/** Mean difference of two pictures. */
const difference = (one: Buffer, other: Buffer): number =>
  one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length

/**
 * Decodes a joined video around its joints: all frames must be there, decoders must report no error, and up to the
 * first copied frame and from the last one on the pictures must be those of the source.
 * @returns what is wrong with it
 */
export async function checkJoined(
  path: string,
  region: Region,
  { head, copied, tail }: CutPlan,
  options: CheckOptions,
): Promise<string | undefined> {
  const { timescale } = region
  const copiedTimes = copied.map(({ time }) => time).sort((a, b) => a - b)
  const times = [...head.map(({ time, shownAt = time }) => shownAt), ...copiedTimes, ...tail.map(({ time }) => time)]
  const [zero = 0] = times
  const at = (time: number): string => seconds((time - zero) / timescale)

  /** @param edges times of frames in the source that the result starts or ends with */
  const check = async (
    [before, filters]: readonly [readonly string[], readonly string[]],
    expected: number,
    edges: { first?: readonly number[]; last?: readonly number[] },
  ) => {
    const { frames, hasErrors } = await decode(path, before, filters, options)
    if (hasErrors) return 'decoders report errors at a joint'
    if (frames.length !== expected) return `${frames.length} of ${expected} frames can be decoded at a joint`
    for (const [name, edge = []] of Object.entries(edges)) {
      const source = await sourceFrames(region, edge, options)
      const result = name === 'first' ? frames.slice(0, edge.length) : frames.slice(frames.length - edge.length)
      if (source.length !== result.length) return 'frames of the source cannot be decoded at a joint'
      const isOther = result.some((frame, index) => difference(frame, source[index] ?? frame) > SAME)
      if (isOther) return 'pictures at a joint differ from those of the source'
    }
    return undefined
  }
  const first = head.length > 0 ? [...head.map(({ time }) => time), ...copiedTimes.slice(0, 1)] : []
  const last = tail.length > 0 ? [...copiedTimes.slice(-1), ...tail.map(({ time }) => time)] : []
  if (times.length <= WHOLE_FRAMES) return check([[], []], times.length, { first, last })
  const keys = copied.filter(({ isKey }) => isKey).map(({ time }) => time)
  // Each window has the edge and a whole copied group.
  const [second = Number.POSITIVE_INFINITY, beforeLast = zero] = [keys[2], keys.at(-2)]
  const middle = (index: number): number => ((times[index - 1] ?? zero) + (times[index] ?? zero)) / 2
  const headEnd = times.findIndex((time) => time >= second)
  const tailStart = times.findIndex((time) => time >= beforeLast)
  const [end, start] = [headEnd < 0 ? times.length : headEnd, Math.max(1, tailStart)]
  const span = end < times.length ? [`trim=end=${at(middle(end))}`] : []
  return (
    (await check([[], span], end, { first })) ??
    (await check([['-ss', at(middle(start))], []], times.length - start, { last }))
  )
}

/** Small pictures of frames of the source. */
async function sourceFrames(region: Region, times: readonly number[], options: CheckOptions): Promise<Buffer[]> {
  if (times.length === 0) return []
  const around = packetsAround(region.packets, times)
  const path = join(options.folder, 'source.mp4')
  await writeRegion(path, region, { sets: options.sets, packets: around })
  return (await decode(path, [], [spanOf(around, times, region.timescale)], options)).frames
}
