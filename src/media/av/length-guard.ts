import { MediaprocError } from '../../errors.ts'
import { measureDuration } from './measure/duration.ts'
import type { OutputPlan } from './verify/output-plan.ts'

/** An output that exceeds the planned duration by this factor and this many seconds is compared with its sources. */
const FAR_FACTOR = 2
const FAR_S = 60

/** Aborts a run whose output becomes far longer than its sources. */
export interface LengthGuard {
  /** Aborted with the error. */
  signal: AbortSignal
  /** Receives the duration written so far, seconds. */
  onPosition(writtenS: number): void
}

/**
 * Monitors the duration of an output. A source may be longer than it states, so it is measured before the run is
 * aborted.
 * @param plans one plan per source
 * @param durationS planned duration of the output, seconds
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
    // A source may legitimately produce twice its duration, for example when slowed down or padded.
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
        // A source that cannot be measured will fail in the run itself.
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
