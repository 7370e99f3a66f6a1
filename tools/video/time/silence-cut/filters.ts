import { FROM_THE_START } from '../../../../src/media/av/filters/channels.ts'
import { seconds } from '../../../../src/media/av/range.ts'
import { remaining, type Span } from './spans.ts'

/** Audio is cut in blocks of this many samples: 0.7 ms at 48 kHz. */
const BLOCK = 32

/** A value from a time on, seconds. */
type Step = readonly [fromS: number, value: string]

/** A step function as an expression of ffmpeg, which finds the step in as many comparisons as its number has bits. */
function stepsExpression(steps: readonly Step[], time: string): string {
  if (steps.length <= 1) return steps[0]?.[1] ?? '0'
  const middle = steps.length >> 1
  const [fromS] = steps[middle] ?? [0]
  const [before, after] = [steps.slice(0, middle), steps.slice(middle)]
  return `if(lt(${time}\\,${seconds(fromS)})\\,${stepsExpression(before, time)}\\,${stepsExpression(after, time)})`
}

/** The expression that is 1 in spans and 0 between them. */
const within = (spans: readonly Span[]): string =>
  stepsExpression(
    [
      [0, '0'],
      ...spans.flatMap(({ startS, endS }): Step[] => [
        [startS, '1'],
        [endS, '0'],
      ]),
    ],
    't',
  )

/**
 * Filters that cut pauses out of video: frames after a pause come earlier by its length.
 * @param periodS length of a frame
 */
export function videoFilters(pauses: readonly Span[], durationS: number, periodS: number): string[] {
  const half = periodS / 2
  const kept = remaining(pauses, durationS).map(({ startS, endS }) => ({
    startS: startS > 0 ? startS - half : 0,
    endS: endS < durationS ? endS - half : endS + 1,
  }))
  let sumS = 0
  const shifts = pauses.map(({ startS, endS }): Step => {
    sumS += endS - startS
    return [startS - half, seconds(sumS)]
  })
  return [`select=${within(kept)}`, `setpts=(T-${stepsExpression([[0, '0'], ...shifts], 'T')})/TB+0.5`]
}

/**
 * Filters that cut pauses out of audio. Each span is as many blocks long that the sum of all spans is never more than half
 * a block away from the video's.
 */
export function audioFilters(pauses: readonly Span[], durationS: number, sampleRate: number): string[] {
  const blockS = BLOCK / sampleRate
  let [blocks, sumS] = [0, 0]
  const kept = remaining(pauses, durationS).map(({ startS, endS }) => {
    sumS += endS - startS
    const count = Math.round(sumS / blockS) - blocks
    blocks += count
    const first = Math.round(startS / blockS)
    const isLast = endS >= durationS
    // Bounds are in the middle between the starts of blocks.
    return { startS: Math.max(0, (first - 0.5) * blockS), endS: isLast ? endS + 1 : (first + count - 0.5) * blockS }
  })
  return [FROM_THE_START, `asetnsamples=n=${BLOCK}:p=0`, `aselect=${within(kept)}`, 'asetpts=N/SR/TB']
}
