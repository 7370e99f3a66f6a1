/** The picture formats of plugins: what `defineFormat` of `mediaproc/tool` declares. */

/** Limits that a decoder must not exceed. */
export interface FormatLimits {
  /** Maximum number of pixels of a picture, all frames together; `Infinity` for no limit. */
  maxPixels: number
  /** Maximum memory for pixels and intermediate data, in bytes; `Infinity` for no limit. */
  maxBytes: number
}

/** Pixels in memory: interleaved, row by row from the top left, with straight (not premultiplied) alpha. */
export interface FormatPicture {
  width: number
  height: number
  /** 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha. */
  channels: 1 | 2 | 3 | 4
  bitDepth: 8 | 16
  /** width × height × channels samples: a Uint8Array for 8 bits, a Uint16Array for 16. */
  pixels: Uint8Array | Uint16Array
  /** Without a profile, pixels are sRGB. */
  iccProfile?: Uint8Array
  /** Further frames of an animation, after `pixels`; all are 8 bit and as large as the first. */
  frames?: readonly { pixels: Uint8Array /** Milliseconds that the frame is shown. */; delay?: number }[]
  /** Milliseconds that the first frame is shown. */
  delay?: number
}

/** What files of a format can hold. A picture that has more is converted before `encode` receives it. */
export interface FormatHolds {
  /** Transparency; without it, pictures are laid on white. */
  alpha?: boolean
  /** Pictures with one channel; without it, grey becomes RGB. */
  grey?: boolean
  bitDepth?: 8 | 16
  /** It has a quality setting from 1 to 100. */
  quality?: boolean
  /** Maximum length of a side, in pixels. */
  maxSide?: number
}

/**
 * A picture format. Its functions run on a thread of their own, with limits of time and memory; `detect` also runs on the
 * main thread, so it must be quick. Throw `MediaprocError` with `INVALID_FILE` for a damaged file and
 * `UNSUPPORTED_FILE_TYPE` for a variant that is not supported.
 */
export interface PictureFormat {
  /** The usual extension, `sgi`: also the name of the type, and that of `image/convert --format`. */
  id: string
  /** All extensions, in lower case without the dot; `id` is always one of them. */
  extensions: readonly string[]
  /** Such as `image/x-sgi`. */
  mediaType: string
  /**
   * Whether content is of this format. It is called for content that mediaproc does not recognise itself.
   * @param head the first 64 KiB, or all of a shorter file
   * @param name the name of the file, which may be wrong
   */
  detect(head: Uint8Array, name?: string): boolean
  /**
   * The size in the header, in pixels, and the number of frames. It is compared with the limits before `decode` is called,
   * and with the result.
   */
  size(bytes: Uint8Array): { width: number; height: number; frames?: number }
  decode(bytes: Uint8Array, context: { limits: FormatLimits }): FormatPicture | Promise<FormatPicture>
  /** The bytes of a file. The picture is sRGB or grey, and holds no more than `holds` says. */
  encode?(picture: FormatPicture, options: { quality?: number }): Uint8Array | Promise<Uint8Array>
  holds?: FormatHolds
}

/** Types the declaration of a format. */
export const defineFormat = (format: PictureFormat): PictureFormat => format

/** Whether what a module exports is a format, and not a tool. */
export const isFormat = (value: unknown): value is PictureFormat =>
  typeof value === 'object' && value !== null && 'decode' in value && 'detect' in value

const ID = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/
const MEDIA_TYPE = /^image\/[\w.+-]+$/

const holdsFault = (holds: FormatHolds): string | undefined => {
  if (typeof holds !== 'object' || holds === null) return 'holds is not an object'
  if (holds.bitDepth !== undefined && holds.bitDepth !== 8 && holds.bitDepth !== 16)
    return 'holds.bitDepth is not 8 or 16'
  const { maxSide } = holds
  return maxSide === undefined || (Number.isSafeInteger(maxSide) && maxSide > 0)
    ? undefined
    : 'holds.maxSide is not a size'
}

/** What is wrong with a declaration, as the rest of a sentence. */
export function formatFault(format: PictureFormat): string | undefined {
  const { id, extensions, mediaType, encode, holds = {} } = format
  if (typeof id !== 'string' || !ID.test(id))
    return `has a format with the id ${JSON.stringify(id) ?? 'undefined'}, which is not an extension in lower case`
  const areExtensions = Array.isArray(extensions) && extensions.every((one) => typeof one === 'string' && ID.test(one))
  if (!areExtensions) return `has a format ${id} whose extensions are not a list of words in lower case without a dot`
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType))
    return `has a format ${id} whose mediaType is not such as image/x-${id}`
  for (const name of ['detect', 'size', 'decode'] as const)
    if (typeof format[name] !== 'function') return `has a format ${id} without the function ${name}`
  if (encode !== undefined && typeof encode !== 'function') return `has a format ${id} whose encode is not a function`
  const fault = holdsFault(holds)
  return fault === undefined ? undefined : `has a format ${id} whose ${fault}`
}
