const LOSSLESS = new Set(['wav', 'flac', 'aiff', 'aif'])

/** Codecs without loss that are copied in packets of a tenth of a second, and that every ffmpeg writes. */
const LOSSLESS_CODECS = new Set(['alac', 'flac'])

/** Whether audio of this codec is cut to the sample in any container: re-encoding it is lossless. */
export const isLosslessCodec = (codec: string | undefined): boolean => LOSSLESS_CODECS.has(codec ?? '')

/**
 * Whether files of this extension are cut to the sample: those without loss, which are encoded again. The others are copied,
 * and cut at a packet (about 26 ms).
 */
export const isCutExactly = (extension: string): boolean => LOSSLESS.has(extension)
