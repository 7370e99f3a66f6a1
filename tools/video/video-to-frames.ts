import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../src/engines/ffmpeg.ts'
import { videoStream } from '../../src/engines/ffprobe.ts'
import { MediaprocError } from '../../src/errors.ts'
import { openAv } from '../../src/media/av/input.ts'
import { seconds } from '../../src/media/av/range.ts'
import { stemOf } from '../../src/media/file.ts'
import { mimeOf } from '../../src/media/type.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { choice, integer, text } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { checkTimestamps, MAX_FRAMES, parseTimestamps } from './_shared/timestamps.ts'

/** The estimate of how many frames a video has ignores its real rate (catalogue). */
const ASSUMED_FPS = 30

export default tool({
  section: 'video',
  id: 'video-to-frames',
  summary: 'Extract frames of a video into a ZIP of images.',
  input: oneFile('video'),
  settings: {
    mode: choice(['all', 'nth', 'timestamps'], 'which frames', { default: 'all' }),
    n: integer('nth: every n-th frame, from the first', { default: 10, min: 2, max: 1000 }),
    timestamps: text('timestamps: seconds, separated by commas', { default: '', maxLength: 500 }),
    format: choice(['png', 'jpg'], 'the format of the images', { default: 'png', valueAliases: { jpeg: 'jpg' } }),
  },
  output: { kind: 'files', format: 'png or jpg' },
  engines: ['ffmpeg'],
  timeoutS: 1800,
  heavy: true,
  batch: true,
  examples: [
    { title: 'every tenth frame', settings: { mode: 'nth', n: 10 } },
    { title: 'two moments', settings: { mode: 'timestamps', timestamps: '0.2,1.1', format: 'jpg' } },
  ],
  check({ mode, timestamps }) {
    if (mode === 'timestamps') parseTimestamps(timestamps)
  },
  async run(job, { mode, n, timestamps, format }) {
    const file = job.inputs[0]!
    const source = await openAv(file, 'video', job.signal)
    const { durationS } = source.info
    const stream = videoStream(source.info)!
    const quality = format === 'jpg' ? ['-q:v', '2'] : []
    const input = inputArguments(source.path)
    const map = ['-map', `0:${stream.index}`, '-an', '-sn', '-dn']
    // ffmpeg numbers the files itself, from a pattern in our own folder.
    const folder = dirname(await job.output(`frame-probe.${format}`))
    const pattern = (name: string): string => join(folder, name).replaceAll('%', '%%')
    if (mode === 'timestamps') {
      const wanted = checkTimestamps(parseTimestamps(timestamps), durationS, stream.frameRate)
      for (const [index, at] of wanted.entries()) {
        const name = `frame-${String(index).padStart(3, '0')}.${format}`
        const args = ['-ss', seconds(at), ...input, ...map, '-frames:v', '1', ...quality, '-update', '1', pattern(name)]
        await runFfmpeg(args, { signal: job.signal, timeoutMs: 60_000, what: 'ffmpeg' })
        job.progress((index + 1) / wanted.length, 'extracting')
      }
    } else {
      if (mode === 'all' && durationS !== undefined && durationS * ASSUMED_FPS > MAX_FRAMES)
        throw invalidSettings(
          `The video is ${Math.round(durationS)} s long, about ${Math.round(durationS * ASSUMED_FPS)} frames; at most ${MAX_FRAMES} are extracted`,
          'Take fewer: --mode nth --n 10, or --mode timestamps --timestamps 1.5,5',
        )
      const select = mode === 'nth' ? ['-vf', `select=not(mod(n\\,${n}))`, '-vsync', 'vfr'] : ['-vsync', '0']
      const args = [
        ...input,
        ...map,
        ...select,
        ...quality,
        `${join(folder.replaceAll('%', '%%'), 'frame-%06d')}.${format}`,
      ]
      await runFfmpeg(args, {
        signal: job.signal,
        durationS,
        onProgress: (fraction) => job.progress(fraction, 'extracting'),
        what: 'ffmpeg',
      })
    }
    const names = (await readdir(folder)).filter((name) => name.endsWith(`.${format}`)).sort()
    if (names.length === 0) throw new MediaprocError('PROCESSING_FAILED', `${file.name} gave no frame at all`)
    const files = names.map((name) => ({ path: join(folder, name), name, mime: mimeOf(format) }))
    return { files, set: `${stemOf(file.name)}_frames` }
  },
})
