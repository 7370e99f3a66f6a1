/** What is decided about fields and dynamic range, also with builds of ffmpeg that lack a part. */
import { chmodSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { ffmpegPath } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { type Stream, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { joinsRun } from '../../../src/media/av/filters/graph.ts'
import { isSuspicious } from '../../../src/media/av/picture/scan-fields.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import { infoOf, makeVideo, sourceOf, temporaryPath } from '../../helpers/av.ts'
import { hdrPatches } from '../../helpers/hdr-patches.ts'
import { FIRST_MOMENTS, MARKED, movingFields, movingOriginal, psnr } from '../../helpers/moving.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

describe('a measurement of the fields', () => {
  const tape: Stream = {
    ...{ index: 0, type: 'video', codec: 'mpeg2video', rotation: 0, colour: {}, tags: {} },
    ...{ isDefault: true, isAttachedPicture: false, height: 576, frameRate: 25 },
  }
  test.each([
    ['MPEG-2 of 576 lines', {}, 'mpegts', true],
    ['MPEG-2 that starts with a progressive frame', { fieldOrder: 'progressive' }, 'mpeg', true],
    ['H.264 of 1080 lines without a mark', { codec: 'h264', height: 1080, frameRate: 30_000 / 1001 }, 'mpegts', true],
    ['a mark', { fieldOrder: 'tff' }, 'mpegts', false],
    ['progressive H.264', { codec: 'h264', height: 1080, fieldOrder: 'progressive' }, 'mov,mp4,m4a,3gp,3g2,mj2', false],
    ['24 frames per second', { frameRate: 24 }, 'mpegts', false],
    ['720 lines', { height: 720 }, 'mpegts', false],
    ['a codec of the web', { codec: 'vp9' }, 'matroska,webm', false],
  ] as const)('%s', (_, facts, format, isMeasured) => {
    expect(isSuspicious({ ...tape, ...facts }, format)).toBe(isMeasured)
  })
})

describe('steps of a pipeline', () => {
  test.each([
    ['auto', 'auto', true],
    ['deinterlace', 'auto', true],
    ['keep', 'keep', true],
    ['keep', 'auto', false],
    ['auto', 'keep', false],
  ] as const)('interlace %s and then %s in one command: %s', async (first, next, isJoined) => {
    const source = await sourceOf(await makeVideo())
    const parts = [{ picture: { interlace: first }, encode: { video: [] } }]
    expect(joinsRun(source, parts, { picture: { interlace: next } })).toBe(isJoined)
  })
})

describe('a build of ffmpeg', () => {
  const before = process.env.MEDIAPROC_FFMPEG
  afterEach(() => {
    if (before === undefined) delete process.env.MEDIAPROC_FFMPEG
    else process.env.MEDIAPROC_FFMPEG = before
  })

  /** From now on, ffmpeg does not list a filter or encoder. */
  async function without(name: string): Promise<void> {
    const real = await ffmpegPath()
    const program = temporaryPath(`without-${name}`)
    const lists = `case "$*" in *-filters*|*-encoders*) "${real}" "$@" | grep -v ' ${name} ';; *) exec "${real}" "$@";; esac`
    writeFileSync(program, `#!/bin/sh\n${lists}\n`)
    chmodSync(program, 0o755)
    process.env.MEDIAPROC_FFMPEG = program
  }

  test('without bwdif: yadif deinterlaces', async () => {
    const source = await movingFields('bottom', { codec: 'mpeg2video', extension: 'mpg', options: MARKED })
    const original = await movingOriginal()
    await without('bwdif')
    const { paths } = await run(convertVideo, folder, [source], { format: 'mkv' })
    expect(await psnr(paths[0]!, original, FIRST_MOMENTS)).toBeGreaterThan(24)
  })

  test('without zscale: HDR is not converted, and the message says what to install', async () => {
    const source = await hdrPatches([[100, 100, 100]])
    await without('zscale')
    await expect(run(convertVideo, folder, [source], { format: 'avi' })).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('has no filter zscale'),
    })
  })

  test('without x265: HDR stays HDR as H.264, with a warning', async () => {
    const source = await hdrPatches([[100, 100, 100]])
    await without('libx265')
    const { paths, warnings } = await run(convertVideo, folder, [source], { format: 'mp4' })
    expect(warnings).toContain(
      'the video stays HDR as H.264, without its mastering data: the installed ffmpeg has no encoder libx265',
    )
    const colour = { transfer: 'smpte2084' }
    expect(videoStream(await infoOf(paths[0]!))).toMatchObject({ codec: 'h264', pixelFormat: 'yuv420p10le', colour })
  })

  test('without ffprobe: mastering data is reported as left out', async () => {
    const source = await hdrPatches([[100, 100, 100]])
    const found = process.env.MEDIAPROC_FFPROBE
    const broken = temporaryPath('ffprobe')
    writeFileSync(broken, '#!/bin/sh\nkill -SEGV $$\n')
    chmodSync(broken, 0o755)
    process.env.MEDIAPROC_FFPROBE = broken
    try {
      const { warnings } = await run(convertVideo, folder, [source], { format: 'mp4' })
      expect(warnings).toContain(
        'mastering data of HDR video is left out: only ffprobe can read it, and it failed or is not installed',
      )
    } finally {
      if (found === undefined) delete process.env.MEDIAPROC_FFPROBE
      else process.env.MEDIAPROC_FFPROBE = found
    }
  })
})
