const KEPT = new Set(['mp3', 'wav', 'ogg', 'opus', 'flac', 'm4a', 'aiff'])

/**
 * The extension that an audio file gets when it is encoded again (catalogue: normalize-audio): its own where that is
 * written, m4a for bare AAC, mp3 for everything else.
 */
export function reencodedExtension(extension: string): string {
  if (KEPT.has(extension)) return extension
  if (extension === 'aif') return 'aiff'
  return extension === 'aac' ? 'm4a' : 'mp3'
}
