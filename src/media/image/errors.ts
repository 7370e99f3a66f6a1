import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { printableName } from '../file.ts'

/** User-facing explanations of libvips messages; the first matching pattern is used. */
const MEANINGS: readonly [RegExp, string][] = [
  // libvips has one buffer of messages for all threads: while other pictures are read, the details after these words may be
  // missing, or belong to another picture. The reason must not depend on that.
  [/has corrupt header/i, 'its header is damaged or cut off'],
  [
    /premature end|unexpected end|end of file|truncat|not enough data|Not enough|ran out of data|bad seek/i,
    'its data ends too early; perhaps a copy or download was cut off',
  ],
  [/unsupported image format|unknown file type|Unsupported feature/i, 'its content is of a kind that cannot be read'],
  [/corrupt|invalid|bad |error|unable/i, 'its content is damaged'],
]

/** libvips messages for content that appears valid, but that this build cannot read. */
const UNSUPPORTED =
  /not (?:configured|implemented|supported)|no known route|unsupported (?:compression|sample|tiff|bit|feature)|samples out of range|unknown compression/i

/**
 * Messages of sharp, libvips and the built-in codecs for calls that cannot work with any file: invalid arguments, an
 * area outside the image, layers that are too large.
 */
const OUR_CALLS =
  /^(?:Expected |no encoder for )|bad extract area|Image to composite must have|^(?:vips_?)?(?:embed|extract_area|insert|affine|reduce[hv]?|shrink[hv]?|resize|composite): (?:parameter|bad|.*out of range)|no such (?:operation|enum|argument)|\bargument\b/i

/**
 * Converts an error from reading or processing an image to INVALID_FILE with a plain reason; MediaprocErrors pass
 * through.
 */
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
      hint: {
        shell: 'Make the picture smaller first, or run fewer jobs with -j 1.',
        http: 'Make the picture smaller first.',
      },
    })
  const reason = MEANINGS.find(([pattern]) => pattern.test(said))?.[1] ?? 'its content cannot be decoded'
  // An invalid internal call is not an error of the file.
  if (error instanceof TypeError || error instanceof ReferenceError || OUR_CALLS.test(said))
    return new MediaprocError('INTERNAL', undefined, { cause: error, detail: said })
  if (UNSUPPORTED.test(said))
    return new MediaprocError(
      'UNSUPPORTED_FILE_TYPE',
      `${printableName(name)} cannot be read: it holds a variant of its format that is not supported`,
      {
        cause: error,
        detail: said,
        hint: 'Save it in a more common form (such as PNG) with the program that made it.',
      },
    )
  return new MediaprocError('INVALID_FILE', `${printableName(name)} cannot be read: ${reason}`, {
    cause: error,
    detail: said,
  })
}
