import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeVideo } from './av.ts'

/** Files that every video or audio tool refuses, with the error code of each. */
export async function badMedia(folder: string): Promise<Array<{ path: string; code: string }>> {
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const video = readFileSync(await makeVideo({ audio: true }))
  // The index of an MP4 without faststart is at its end.
  const plain = video.subarray(0, Math.floor(video.length / 2))
  const index = plain.indexOf('moov', 0, 'latin1')
  const cut = index < 0 ? plain : plain.subarray(0, index)
  return [
    { path: write('empty.mp4', ''), code: 'EMPTY_FILE' },
    { path: write('text.mp4', 'This is only text.\n'.repeat(20)), code: 'UNSUPPORTED_FILE_TYPE' },
    {
      path: write('playlist.mp4', '#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n/etc/passwd\n#EXT-X-ENDLIST\n'),
      code: 'UNSUPPORTED_FILE_TYPE',
    },
    { path: write('cut.mp4', cut), code: 'INVALID_FILE' },
  ]
}
