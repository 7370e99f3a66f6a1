/** Containers with an overstated duration, and outputs longer than their sources. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { findFfmpeg, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import resizeVideo from '../../../tools/video/geometry/resize-video.ts'
import mergeVideos from '../../../tools/video/time/merge-videos.ts'
import videoSpeed from '../../../tools/video/time/video-speed.ts'
import { infoOf, makeVideo, sharedMedia } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SMALL = { width: 64, height: 48, seconds: 1 }

/** Matroska of one second whose Duration element (0x4489, milliseconds as a float of 8 bytes) has another value. */
function claiming(seconds: number): Promise<string> {
  return sharedMedia(['claiming', seconds], 'claiming.mkv', async (path) => {
    const plain = await makeVideo({ ...SMALL, audio: true })
    await runFfmpeg(['-i', plain, '-c', 'copy', path])
    const bytes = readFileSync(path)
    bytes.writeDoubleBE(seconds * 1000, bytes.indexOf(Buffer.from([0x44, 0x89, 0x88])) + 3)
    // The tags with the length of each stream: a file of another program has none.
    for (let at = bytes.indexOf('DURATION'); at >= 0; at = bytes.indexOf('DURATION', at)) bytes.write('DURATIOX', at)
    writeFileSync(path, bytes)
  })
}

const lengthOf = async (path: string): Promise<number> => (await infoOf(path)).durationS!

describe('a container that overstates its length', () => {
  test('an encode is as long as its packets, and the wrong length is reported', async () => {
    const source = await claiming(8_589_936)
    expect(await lengthOf(source)).toBeGreaterThan(8e6)
    const { paths, warnings } = await run(videoSpeed, folder, [source], { factor: 0.5 })
    expect(await lengthOf(paths[0]!)).toBeCloseTo(2, 0)
    expect(warnings).toEqual([expect.stringMatching(/^the file claims a length of 8589936 s and ends at 1(\.0\d)? s$/)])
  })

  test.each([8_589_936, 12])('joined clips are not padded to %i s', async (seconds) => {
    const { paths } = await run(mergeVideos, folder, [
      await claiming(seconds),
      await makeVideo({ ...SMALL, audio: true }),
    ])
    expect(await lengthOf(paths[0]!)).toBeCloseTo(2, 0)
  })

  test.each(['00:05:00,000', '00:00:01,400'])('a subtitle until %s does not break a plan or an output', async (end) => {
    const source = await sharedMedia(['long cue', end], 'cue.mkv', async (path) => {
      const words = join(folder, 'words.srt')
      writeFileSync(words, `1\n00:00:00,200 --> ${end}\nHello\n`)
      await runFfmpeg(['-i', await makeVideo(SMALL), '-i', words, '-c', 'copy', '-c:s', 'srt', path])
    })
    const { paths, warnings } = await run(resizeVideo, folder, [source], { width: 32 })
    expect(warnings).toEqual([])
    const { streams } = await infoOf(paths[0]!)
    expect(streams.map(({ type }) => type)).toEqual(['video', 'subtitle'])
    expect(streams[0]!.durationS).toBeCloseTo(1, 1)
  })
})

describe('an endless output', () => {
  const before = process.env.MEDIAPROC_FFMPEG
  afterEach(() => {
    if (before === undefined) delete process.env.MEDIAPROC_FFMPEG
    else process.env.MEDIAPROC_FFMPEG = before
  })

  test('is stopped and leaves no file', async () => {
    const { path } = (await findFfmpeg())!
    const endless = join(folder, 'endless')
    // The real program answers probes and measurements; the encode reports two minutes and does not end.
    const report = 'echo out_time=00:02:00.000000; echo progress=continue; exec sleep 100'
    writeFileSync(endless, `#!/bin/bash\ncase "$*" in *.mkv*-f\\ mp4*) ${report};; *) exec ${path} "$@";; esac\n`)
    chmodSync(endless, 0o755)
    const source = await makeVideo({ ...SMALL, extension: 'mkv' })
    process.env.MEDIAPROC_FFMPEG = endless
    await expect(run(convertVideo, folder, [source], { format: 'mp4' })).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'The result became 120 s long, and its source gives 1 s',
    })
  })
})
