/** Extensions that are kept when a file is re-encoded. */
export const KEPT: readonly string[] = ['mp3', 'wav', 'ogg', 'opus', 'flac', 'm4a', 'aiff']

/**
 * The extension of a re-encoded audio file (catalogue: normalize-audio): the source's own if that format can be
 * written, m4a for bare AAC, mp3 for everything else.
 */
export function reencodedExtension(extension: string): string {
  if (KEPT.includes(extension)) return extension
  if (extension === 'aif') return 'aiff'
  if (extension === 'oga') return 'ogg'
  return extension === 'aac' ? 'm4a' : 'mp3'
}
