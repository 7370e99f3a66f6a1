import { MediaprocError } from '../../errors.ts'
import { printableName } from '../file.ts'
import type { AvSource } from './input/part.ts'

/**
 * Rejects a start at or after the end of the file, for which ffmpeg would write an empty file without an error.
 * Seconds.
 */
export function checkStart(source: AvSource, startS: number): void {
  const { durationS } = source.info
  if (durationS === undefined || startS < durationS) return
  throw new MediaprocError(
    'INVALID_SETTINGS',
    `${printableName(source.name)} is ${Number(durationS.toFixed(2))} s long; it cannot start at ${startS} s`,
    { hint: 'Choose an earlier start.' },
  )
}
