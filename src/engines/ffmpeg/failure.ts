import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { explainUnreadable } from './input.ts'

const OTHER_BUILD_HINT =
  'Install an ffmpeg that has it, or name one with MEDIAPROC_FFMPEG; mediaproc doctor shows which is in use.'

interface Explanation {
  /** Matched against ffmpeg's output; the first group becomes `name`. */
  sign: RegExp
  error: (name: string, detail: string) => MediaprocError
}

const EXPLANATIONS: readonly Explanation[] = [
  {
    sign: /No space left on device|Disk quota exceeded/,
    error: (_, detail) => new MediaprocError('DISK_FULL', undefined, { detail }),
  },
  {
    sign: /Unknown encoder '([^']+)'/,
    error: (name, detail) =>
      new MediaprocError('ENCODER_MISSING', `The installed ffmpeg has no encoder ${name}`, {
        detail,
        hint: OTHER_BUILD_HINT,
      }),
  },
  {
    sign: /No such filter: '([^']+)'/,
    error: (name, detail) =>
      new MediaprocError('ENGINE_UNAVAILABLE', `The installed ffmpeg has no filter ${name}`, {
        detail,
        hint: OTHER_BUILD_HINT,
      }),
  },
  {
    sign: /Cannot allocate memory/,
    error: (_, detail) => new MediaprocError('PROCESSING_FAILED', 'Out of memory', { detail }),
  },
]

/**
 * Converts a failed ffmpeg run to a plain message if its output shows the cause; otherwise returns the original error.
 */
export function explainFailure(error: unknown, what: string): MediaprocError {
  const failure = toMediaprocError(error, 'PROCESSING_FAILED', `${what} failed`)
  const { detail } = failure
  if (failure.code !== 'PROCESSING_FAILED' || !detail) return failure
  for (const { sign, error: explain } of EXPLANATIONS) {
    const found = sign.exec(detail)
    if (found) return explain(found[1] ?? '', detail)
  }
  return explainUnreadable(detail) ?? failure
}

/** Messages about undecodable packets and truncated files; of builds up to 6, and from 7 on. */
const DAMAGE =
  /[Ee]rror while decoding|CRC error|Error submitting packet to decoder|partial file|ended prematurely|Invalid NAL unit size|ac-tex damaged/

/** Whether ffmpeg's output at log level `error`, during a run that continued, reports damaged input. */
export const saysDamaged = (errorText: string): boolean => DAMAGE.test(errorText)

/**
 * Printed when a part of the output could not be written. Up to version 6, ffmpeg still exits with 0 if only the end is
 * missing: "Error writing trailer of out.mp4: No space left on device".
 */
const NOT_WRITTEN =
  /Error writing trailer|No space left on device|Disk quota exceeded|av_interleaved_write_frame|Error muxing a packet|Error submitting a packet to the muxer|Error closing file/

/** The write failure that ffmpeg reported on stderr, whatever its exit code; undefined when everything was written. */
export function writeFailure(errorText: string, what: string): MediaprocError | undefined {
  const found = NOT_WRITTEN.exec(errorText)
  if (!found) return undefined
  const from = errorText.lastIndexOf('\n', found.index) + 1
  const detail = errorText.slice(from, from + 4096).trim()
  return explainFailure(
    new MediaprocError('PROCESSING_FAILED', `${what} could not write the whole result`, { detail }),
    what,
  )
}
