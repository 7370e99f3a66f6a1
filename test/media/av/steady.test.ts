import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { isSteady } from '../../../src/media/av/measure/steady.ts'
import { infoOf, temporaryPath } from '../../helpers/av.ts'

const signal = new AbortController().signal

/** A video of 4 s with audio of 6 s. */
async function film(extension: string, filter: string): Promise<string> {
  const path = temporaryPath(`film.${extension}`)
  const inputs = [`testsrc2=s=96x64:r=25:d=4${filter}`, 'sine=d=6:r=44100'].flatMap((one) => ['-f', 'lavfi', '-i', one])
  await runFfmpeg([
    ...inputs,
    '-vsync',
    'vfr',
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-bf',
    '2',
    '-c:a',
    'aac',
    path,
  ])
  return path
}

// FLV states no duration of its streams.
test.each(['flv', 'mp4', 'ts'])(
  '%s: a video that is shorter than the file is steady if it has every frame',
  async (extension) => {
    const steadiness = async (path: string) =>
      isSteady({ path, name: path, extension, info: await infoOf(path) }, 25, signal)
    expect(await steadiness(await film(extension, ''))).toBe(true)
    expect(await steadiness(await film(extension, ",select='mod(n,7)'"))).toBe(false)
  },
)
