const LOSSLESS = new Set(['wav', 'flac', 'aiff', 'aif'])

/**
 * Whether files of this extension are cut to the sample: those without loss, which are encoded again. The others are copied,
 * and cut at a packet (about 26 ms).
 */
export const isCutExactly = (extension: string): boolean => LOSSLESS.has(extension)
