import { MediaprocError } from '../../errors.ts'
import { measureDuration } from './measure/duration.ts'
import type { OutputPlan } from './verify/output-plan.ts'

/** An output this many times as long as planned, and this much longer, is compared with what its sources hold. */
const FAR_FACTOR = 2
const FAR_S = 60

/** Ends a run whose output becomes far longer than what its sources hold. */
export interface LengthGuard {
  /** Aborted with the failure. */
  signal: AbortSignal
  /** Takes how much is written, seconds. */
  onPosition(writtenS: number): void
}

/**
 * Watches the length of an output. A source may be longer than it says, so it is measured before the run is ended.
 * @param plans one for each source
 * @param durationS planned length of the output, seconds
 */
export function lengthGuard(
  plans: readonly OutputPlan[],
  durationS: number | undefined,
  signal?: AbortSignal,
): LengthGuard {
  const failure = new AbortController()
  let limitS = durationS === undefined ? Number.POSITIVE_INFINITY : limitOf(durationS)
  let isMeasuring = false
  const compare = async (writtenS: number): Promise<void> => {
    const claimedS = sum(plans.map(({ source }) => source.info.durationS))
    const heldS = sum(await Promise.all(plans.map(({ source }) => measureDuration(source.path, signal))))
    // A source may give twice its length: played slowly, or padded to another one.
    const expectedS = (durationS ?? 0) * Math.max(1, heldS / claimedS)
    limitS = Number.isFinite(expectedS) ? limitOf(expectedS) : Number.POSITIVE_INFINITY
    if (writtenS > limitS) failure.abort(tooLong(writtenS, expectedS))
  }
  return {
    signal: signal ? AbortSignal.any([signal, failure.signal]) : failure.signal,
    onPosition(writtenS) {
      if (writtenS <= limitS || isMeasuring) return
      isMeasuring = true
      compare(writtenS)
        // A source that cannot be measured fails in the run itself.
        .catch(() => {})
        .finally(() => {
          isMeasuring = false
        })
    },
  }
}

const limitOf = (lengthS: number): number => FAR_FACTOR * lengthS + FAR_S

const sum = (lengths: readonly (number | undefined)[]): number =>
  lengths.reduce<number>((total, length) => total + (length ?? Number.NaN), 0)

const tooLong = (writtenS: number, expectedS: number): MediaprocError =>
  new MediaprocError(
    'PROCESSING_FAILED',
    `The result became ${Math.round(writtenS)} s long, and its source gives ${Math.round(expectedS)} s`,
    {
      hint: {
        shell: 'Convert the source first: mediaproc video convert-video.',
        http: 'Convert the source first, with the tool convert-video.',
      },
    },
  )
