import { inputArguments, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { Written } from '../../../engines/ffmpeg/progress.ts'
import { seconds } from '../range.ts'
import type { CutPlan } from './plan-cut.ts'

/** Up to this number of frames a joined video is decoded as a whole; otherwise around its joints. */
const WHOLE_FRAMES = 1500

/**
 * Decodes a joined video around its joints: all frames must be there, and decoders must report no error.
 * @returns what is wrong with it
 */
export async function checkJoined(
  path: string,
  { head, copied, tail }: CutPlan,
  timescale: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const times = [
    ...head.map(({ time, shownAt = time }) => shownAt),
    ...copied.map(({ time }) => time),
    ...tail.map(({ time }) => time),
  ]
  times.sort((a, b) => a - b)
  const [zero = 0] = times
  const at = (time: number): string => seconds((time - zero) / timescale)
  const decodes = async (input: readonly string[], filter: readonly string[], expected: number) => {
    const written: Written = {}
    const args = [
      ...input,
      ...inputArguments(path),
      '-map',
      '0:v:0',
      ...filter,
      '-vsync',
      'passthrough',
      '-f',
      'null',
      '-',
    ]
    const said = await runFfmpeg(args, { signal, written, what: 'Checking the joints' })
    if (said.trim() !== '') return 'decoders report errors at a joint'
    return written.frames === expected
      ? undefined
      : `${written.frames ?? 0} of ${expected} frames can be decoded at a joint`
  }
  if (times.length <= WHOLE_FRAMES) return decodes([], [], times.length)
  const keys = copied.filter(({ isKey }) => isKey).map(({ time }) => time)
  // Each window has the edge and a whole copied group.
  const [second = Number.POSITIVE_INFINITY, beforeLast = zero] = [keys[2], keys.at(-2)]
  const middle = (index: number): number => ((times[index - 1] ?? zero) + (times[index] ?? zero)) / 2
  const headEnd = times.findIndex((time) => time >= second)
  const tailStart = times.findIndex((time) => time >= beforeLast)
  const [first, last] = [headEnd < 0 ? times.length : headEnd, Math.max(1, tailStart)]
  return (
    (await decodes([], first < times.length ? ['-vf', `trim=end=${at(middle(first))}`] : [], first)) ??
    (await decodes(['-ss', at(middle(last))], [], times.length - last))
  )
}
