const LOSSLESS = new Set(['wav', 'flac', 'aiff', 'aif'])

/** Lossless codecs that every ffmpeg can encode and whose packets last a tenth of a second when copied. */
const LOSSLESS_CODECS = new Set(['alac', 'flac'])

/** Whether audio of this codec is cut sample-accurately in any container: re-encoding does not change it. */
export const isLosslessCodec = (codec: string | undefined): boolean => LOSSLESS_CODECS.has(codec ?? '')

/**
 * Whether files of this extension are cut sample-accurately: lossless files are re-encoded. Other files are copied and
 * cut at a packet boundary (about 26 ms).
 */
export const isCutExactly = (extension: string): boolean => LOSSLESS.has(extension)
