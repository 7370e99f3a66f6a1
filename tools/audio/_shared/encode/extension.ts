/** The extensions that stay what they are. */
export const KEPT: readonly string[] = ['mp3', 'wav', 'ogg', 'opus', 'flac', 'm4a', 'aiff']

/**
 * The extension that an audio file gets when it is encoded again (catalogue: normalize-audio): its own where that is
 * written, m4a for bare AAC, mp3 for everything else.
 */
export function reencodedExtension(extension: string): string {
  if (KEPT.includes(extension)) return extension
  if (extension === 'aif') return 'aiff'
  if (extension === 'oga') return 'ogg'
  return extension === 'aac' ? 'm4a' : 'mp3'
}
