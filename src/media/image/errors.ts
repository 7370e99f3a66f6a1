import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { printableName } from '../file.ts'

/** What libvips' messages mean for a person; the first pattern that fits. */
const MEANINGS: readonly [RegExp, string][] = [
  [
    /premature end|unexpected end|end of file|truncat|not enough data|Not enough|ran out of data|bad seek/i,
    'its data ends too early; perhaps a copy or download was cut off',
  ],
  [/unsupported image format|unknown file type|Unsupported feature/i, 'its content is of a kind that cannot be read'],
  [/corrupt|invalid|bad |error|unable/i, 'its content is damaged'],
]

/** An error from reading or computing a picture as INVALID_FILE with a plain reason; errors of the catalogue pass. */
export function imageError(error: unknown, name: string): MediaprocError {
  const known = toMediaprocError(error, 'PROCESSING_FAILED')
  if (known.code !== 'PROCESSING_FAILED' || known === error) return known
  const said = known.detail ?? ''
  if (/ENOSPC|No space left/i.test(said))
    return new MediaprocError('DISK_FULL', undefined, { cause: error, detail: said })
  if (/out of memory|cannot allocate/i.test(said))
    return new MediaprocError('PROCESSING_FAILED', `There is not enough memory for ${printableName(name)}`, {
      cause: error,
      detail: said,
      hint: 'Make the picture smaller first, or run fewer jobs with -j 1.',
    })
  const reason = MEANINGS.find(([pattern]) => pattern.test(said))?.[1]
  // A wrong call of ours is no fault of the file.
  if (!reason || error instanceof TypeError || error instanceof ReferenceError || said.startsWith('Expected '))
    return new MediaprocError('INTERNAL', undefined, { cause: error, detail: said })
  return new MediaprocError('INVALID_FILE', `${printableName(name)} cannot be read: ${reason}`, {
    cause: error,
    detail: said,
  })
}
