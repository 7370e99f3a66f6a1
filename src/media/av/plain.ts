import { statSync } from 'node:fs'
import type { MediaInfo } from '../../engines/ffmpeg/media-info.ts'
import { readPlainFlac } from './flac.ts'
import { readPlainMp3 } from './mp3.ts'
import { readPlainMp4 } from './mp4/movie.ts'
import { readPcmWav } from './pcm-wav.ts'

/**
 * Reads a file without ffprobe, whose start takes longer than most of the work.
 * @returns undefined for files that only ffprobe can read, and for those that cannot be read: it reports the reason
 */
export function readPlain(path: string): MediaInfo | undefined {
  try {
    // Opening a pipe would wait for its writer.
    if (!statSync(path).isFile()) return undefined
    return readPlainMp4(path) ?? readPcmWav(path) ?? readPlainMp3(path) ?? readPlainFlac(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
