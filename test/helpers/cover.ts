import { runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { makeAudio, temporaryPath } from './av.ts'

/** A sound file of 2 s with a red cover picture and a title; `mp3`, `m4a` or `flac`. Returns its path. */
export async function withCover(extension: 'mp3' | 'm4a' | 'flac'): Promise<string> {
  const picture = temporaryPath('cover.png')
  await runFfmpeg(['-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1', picture])
  const path = temporaryPath(`covered.${extension}`)
  const sound = await makeAudio({ extension })
  const copy = ['-map', '0', '-map', '1', '-c', 'copy', '-disposition:v', 'attached_pic', '-metadata', 'title=Red']
  await runFfmpeg(['-i', sound, '-i', picture, ...copy, path])
  return path
}
