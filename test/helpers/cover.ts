import { runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { makeAudio, sharedMedia } from './av.ts'

/** An audio file of 2 s with a red cover picture and a title; `mp3`, `m4a` or `flac`. Returns its path. */
export async function withCover(extension: 'mp3' | 'm4a' | 'flac'): Promise<string> {
  const picture = await sharedMedia(['cover'], 'cover.png', async (path) => {
    await runFfmpeg(['-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1', path])
  })
  return sharedMedia(['covered'], `covered.${extension}`, async (path) => {
    const audio = await makeAudio({ extension })
    const copy = ['-map', '0', '-map', '1', '-c', 'copy', '-disposition:v', 'attached_pic', '-metadata', 'title=Red']
    await runFfmpeg(['-i', audio, '-i', picture, ...copy, path])
  })
}
