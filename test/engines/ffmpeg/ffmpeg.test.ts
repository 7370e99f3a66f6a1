import { writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { shareCores } from '../../../src/concurrency.ts'
import { explainFailure } from '../../../src/engines/ffmpeg/failure.ts'
import {
  abilities,
  captureFfmpeg,
  ffmpeg,
  ffmpegPath,
  inputArguments,
  requireEncoder,
  requireFilter,
  runFfmpeg,
} from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { progressReader } from '../../../src/engines/ffmpeg/progress.ts'
import { shippedFontsFolder } from '../../../src/engines/fonts.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { infoOf, makeVideo, temporaryPath } from '../../helpers/av.ts'

const saved = process.env.MEDIAPROC_FFMPEG

afterEach(() => {
  if (saved === undefined) delete process.env.MEDIAPROC_FFMPEG
  else process.env.MEDIAPROC_FFMPEG = saved
})

describe('engine', () => {
  test('status has version, path and capabilities', async () => {
    const status = await ffmpeg.probe()
    expect(status).toMatchObject({ available: true, path: await ffmpegPath() })
    expect(status.version).toMatch(/^\S+$/)
    expect(status.abilities).toEqual(expect.arrayContaining(['libx264', 'aac', 'drawtext', 'loudnorm']))
  })

  test('reads whole list rows, without headings', async () => {
    const { encoders, filters, muxers } = await abilities()
    expect([...encoders].filter((name) => !/^[\w-]+$/.test(name))).toEqual([])
    expect([...filters].filter((name) => !/^\w+$/.test(name))).toEqual([])
    expect(['libx264', 'pcm_s16le', 'mov_text'].filter((name) => !encoders.has(name))).toEqual([])
    expect(['scale', 'overlay', 'atrim', 'testsrc2', 'concat'].filter((name) => !filters.has(name))).toEqual([])
    expect(['mp4', 'matroska', 'webm', 'ipod'].filter((name) => !muxers.has(name))).toEqual([])
    expect(muxers.has('File') || encoders.has('=') || filters.has('Timeline')).toBe(false)
  })

  test('warns about a build of 2018', async () => {
    const { year } = await abilities()
    const { warning } = await ffmpeg.probe()
    if (year! <= 2020) expect(warning).toMatch(/build of 2018/)
    else expect(warning).toBeUndefined()
  })

  test('an invalid MEDIAPROC_FFMPEG is a warning in the status and an error when used', async () => {
    process.env.MEDIAPROC_FFMPEG = '/nowhere/ffmpeg'
    const message = 'MEDIAPROC_FFMPEG is set to /nowhere/ffmpeg, which is not a program'
    expect(await ffmpeg.probe()).toEqual({ available: false, warning: message })
    await expect(runFfmpeg(['-version'])).rejects.toMatchObject({ code: 'INVALID_CONFIG', message })
  })

  test('reports a failed write although the program exits with 0', async () => {
    const script = temporaryPath('full.sh')
    process.env.MEDIAPROC_FFMPEG = script
    const end = (line: string) => writeFileSync(script, `#!/bin/sh\necho '${line}' >&2\n`, { mode: 0o755 })
    end('Error writing trailer of out.mp4: No space left on device')
    await expect(runFfmpeg(['out.mp4'])).rejects.toMatchObject({ code: 'DISK_FULL' })
    end('av_interleaved_write_frame(): Input/output error')
    await expect(runFfmpeg(['out.mp4'])).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'ffmpeg could not write the whole result',
    })
    end('Past duration 0.999 too large')
    await expect(runFfmpeg(['out.mp4'])).resolves.toMatch('Past duration')
  })

  test('uses the shipped fonts, or those in the configured folder', async () => {
    const script = temporaryPath('says-fonts.sh')
    writeFileSync(script, '#!/bin/sh\nprintf %s "$FONTCONFIG_FILE"\n', { mode: 0o755 })
    const own = process.env.FONTCONFIG_FILE
    try {
      process.env.MEDIAPROC_FFMPEG = script
      const reported = async () => Buffer.from(await captureFfmpeg([], { maxOutput: 1000 })).toString()
      delete process.env.FONTCONFIG_FILE
      expect(await reported()).toBe(join(shippedFontsFolder(), 'fonts.conf'))
      process.env.FONTCONFIG_FILE = '/etc/fonts/own.conf'
      expect(await reported()).toBe('/etc/fonts/own.conf')
    } finally {
      if (own === undefined) delete process.env.FONTCONFIG_FILE
      else process.env.FONTCONFIG_FILE = own
    }
  })

  test("uses one thread per encode while many jobs share the cores, else ffmpeg's default", async () => {
    const encode = async (path: string) => {
      const args = ['-f', 'lavfi', '-i', 'testsrc2=size=64x256:rate=5:duration=0.4', '-c:v', 'libx264', path]
      await runFfmpeg(args)
      // The encoder writes its own settings into the stream.
      return /(?<!_)threads=(\d+)/.exec((await readFile(path)).toString('latin1'))![1]
    }
    const end = shareCores(1000)
    const crowded = await encode(temporaryPath('crowded.mp4')).finally(end)
    expect(crowded).toBe('1')
    // A machine with one core cannot test this.
    if (availableParallelism() > 1) expect(await encode(temporaryPath('alone.mp4'))).not.toBe('1')
  })

  test('requireEncoder and requireFilter', async () => {
    await requireEncoder('libx264')
    await requireFilter('scale')
    await expect(requireEncoder('libnothing')).rejects.toMatchObject({ code: 'ENCODER_MISSING', exit: 3 })
    await expect(requireFilter('nothing')).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', exit: 3 })
  })
})

describe('progress', () => {
  test('reports fractions of the known length, never decreasing, 1 only at the end', () => {
    const reported: [number, number | undefined][] = []
    const read = progressReader(10, (fraction, speed) => reported.push([fraction, speed]))
    const block = (time: string, speed: string, progress = 'continue') =>
      // `out_time_ms` is in microseconds in all builds; it must not be used.
      ['frame=1', 'out_time_ms=9000000', `out_time=${time}`, `speed=${speed}`, `progress=${progress}`].forEach(read)
    block('N/A', 'N/A')
    block('-00:00:00.023220', '0.5x')
    block('00:00:02.500000', '1.25x')
    block('00:00:02.000000', '1.25x')
    block('00:00:05.000000', '   2e+03x')
    block('00:00:12.000000', '2x')
    block('00:00:12.000000', '2x', 'end')
    expect(reported).toEqual([
      [0.25, 1.25],
      [0.5, 2000],
      [0.999, 2],
      [1, 2],
    ])
  })

  test('reports only the end if the length is unknown', () => {
    const reported: number[] = []
    const read = progressReader(undefined, (fraction) => reported.push(fraction))
    for (const line of ['out_time=00:00:01.0', 'progress=continue', 'out_time=00:00:02.0', 'progress=end']) read(line)
    expect(reported).toEqual([1])
  })

  test('of a real run', async () => {
    const reported: number[] = []
    const output = temporaryPath('long.mp4')
    await runFfmpeg(
      ['-f', 'lavfi', '-i', 'testsrc2=s=640x480:r=30:d=20', '-c:v', 'libx264', '-preset', 'ultrafast', output],
      {
        durationS: 20,
        onProgress: (fraction) => reported.push(fraction),
      },
    )
    expect(reported.at(-1)).toBe(1)
    expect(reported).toEqual([...reported].sort((one, other) => one - other))
    expect((await infoOf(output)).durationS).toBeCloseTo(20, 1)
  })
})

describe('running', () => {
  test('captured output', async () => {
    const source = ['-f', 'lavfi', '-i', 'color=red:s=4x2,format=rgb24', '-frames:v', '1']
    const pixels = await captureFfmpeg([...source, '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'], { maxOutput: 100 })
    expect([...pixels]).toEqual(Array.from({ length: 8 }, () => [255, 0, 0]).flat())
  })

  test('log level info includes filter output', async () => {
    const reported = await runFfmpeg(['-f', 'lavfi', '-i', 'sine=d=1', '-af', 'volumedetect', '-f', 'null', '-'], {
      logLevel: 'info',
    })
    expect(reported).toMatch(/max_volume: -?\d+\.\d dB/)
  })

  test('an abort ends an endless run', async () => {
    const controller = new AbortController()
    const output = temporaryPath('endless.mkv')
    const running = runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2', '-c:v', 'libx264', output], {
      durationS: 1,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    })
    await expect(running).rejects.toMatchObject({ code: 'CANCELED' })
    const { size } = await stat(output)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect((await stat(output)).size).toBe(size)
  })

  test('failures have readable messages', async () => {
    const video = await makeVideo()
    const output = temporaryPath('out.mp4')
    await expect(runFfmpeg([...inputArguments(video), '-c:v', 'libnothing', output])).rejects.toMatchObject({
      code: 'ENCODER_MISSING',
      message: 'The installed ffmpeg has no encoder libnothing',
    })
    await expect(runFfmpeg([...inputArguments(video), '-vf', 'nothing=1', output])).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'The installed ffmpeg has no filter nothing',
    })
    await expect(runFfmpeg([...inputArguments(video), '-vf', 'scale=nonsense', output])).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'ffmpeg failed (exit code 1)',
      detail: expect.stringMatching(/nonsense/),
    })
  })

  test('reports a full disk', () => {
    const error = new MediaprocError('PROCESSING_FAILED', 'x', {
      detail: 'av_interleaved_write_frame(): No space left on device',
    })
    expect(explainFailure(error, 'ffmpeg').code).toBe('DISK_FULL')
    expect(explainFailure(new MediaprocError('CANCELED'), 'ffmpeg').code).toBe('CANCELED')
  })
})
