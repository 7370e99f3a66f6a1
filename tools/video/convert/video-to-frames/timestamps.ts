import { invalidSettings } from '../../../../src/tool/validate.ts'

/** Maximum number of frames for mode all, estimated at 30 per second. */
export const MAX_FRAMES = 2000

/** Maximum number of timestamps. */
const MAX_TIMESTAMPS = 50

/** `1.5,5, 12.3` as seconds; also a JSON array of numbers. INVALID_SETTINGS for anything else. */
export function parseTimestamps(given: string): number[] {
  const bare = given.trim().replace(/^\[(.*)\]$/s, '$1')
  if (bare.trim() === '')
    throw invalidSettings(
      'Expected timestamps for mode timestamps, got nothing',
      'For example: --timestamps 1.5,5,12.3',
    )
  const values = bare.split(',').map((item) => (/^\s*\d+(\.\d+)?\s*$/.test(item) ? Number(item) : Number.NaN))
  const wrong = values.findIndex((value) => !Number.isFinite(value))
  if (wrong >= 0)
    throw invalidSettings(
      `Expected seconds of at least 0 in timestamps, got ${bare.split(',')[wrong]!.trim() || 'nothing'}`,
    )
  if (values.length > MAX_TIMESTAMPS)
    throw invalidSettings(`Expected at most ${MAX_TIMESTAMPS} timestamps, got ${values.length}`)
  return values
}

/** Refuses timestamps after the end; the exact end gives the last frame. */
export function checkTimestamps(wanted: readonly number[], durationS: number | undefined): number[] {
  const late = wanted.find((at) => durationS !== undefined && at > durationS)
  if (late !== undefined)
    throw invalidSettings(`The video is ${Number(durationS!.toFixed(2))} s long; there is no frame at ${late} s`)
  return [...wanted]
}
