import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { alphaDecoder, losesAlpha, withoutAlpha } from '../../../src/media/av/filters/alpha.ts'
import { isHdr } from '../../../src/media/av/picture/hdr.ts'
import { preparePicture } from '../../../src/media/av/picture/study.ts'
import { withoutHdr } from '../../../src/media/av/verify/sentences.ts'
import { printableName } from '../../../src/media/file.ts'
import { setName } from '../../../src/media/naming.ts'
import { mimeOf } from '../../../src/media/type.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice, integer, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { PICTURE_SETTINGS } from '../_shared/picture-settings.ts'
import { writeFrameAt } from './video-to-frames/frame-at.ts'
import { checkTimestamps, MAX_FRAMES, parseTimestamps } from './video-to-frames/timestamps.ts'

/** The estimated number of frames ignores the video's actual frame rate (catalogue). */
const ASSUMED_FPS = 30

export default avTool({
  section: 'video',
  id: 'video-to-frames',
  summary: 'Extract frames of a video into a ZIP of images',
  settings: {
    mode: choice(['all', 'nth', 'timestamps'], 'which frames', { default: 'all' }),
    n: integer('every n-th frame, from the first', {
      default: 10,
      min: 2,
      max: 1000,
      when: { mode: 'nth' },
      label: 'Every n-th frame',
    }),
    timestamps: text('seconds, separated by commas', {
      when: { mode: 'timestamps' },
      example: '1.5,5',
      default: '',
      maxLength: 500,
      listed: true,
      grammar: 'seconds',
    }),
    format: choice(['png', 'jpg'], 'the format of the images', {
      short: 'F',
      default: 'png',
      valueAliases: { jpeg: 'jpg' },
    }),
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'files', type: { setting: 'format' }, set: '{stem}_frames' },
  batch: true,
  examples: [
    { title: 'every tenth frame', settings: { mode: 'nth', n: 10 } },
    { title: 'two moments', settings: { mode: 'timestamps', timestamps: '0.2,1.1', format: 'jpg' } },
  ],
  check({ mode, timestamps }) {
    if (mode === 'timestamps') parseTimestamps(timestamps)
  },
  async produce([given], { mode, n, timestamps, format, ...choice }, context) {
    const source = given
    const { durationS } = source.info
    const stream = mainVideo(source.info)
    const set = setName(source, 'frames')
    const quality = format === 'jpg' ? ['-q:v', '2'] : []
    const encoder = format === 'png' ? 'png' : 'mjpeg'
    const request = { choice, options: ['-c:v', encoder], filters: [] }
    const { before } = await preparePicture(source, request, context)
    if (isHdr(stream) && choice.hdr === 'auto') context.warn(withoutHdr(format.toUpperCase()))
    const filtersOf = (...own: string[]): string[] =>
      before.length + own.length > 0 ? ['-vf', [...before, ...own].join(',')] : []
    const options = ['-map', `0:${stream.index}`, '-an', '-sn', '-dn', ...quality]
    if (losesAlpha(stream, encoder)) context.warn(withoutAlpha('JPEG'))
    const input = [...alphaDecoder(stream, encoder), ...inputArguments(source.path)]
    if (mode === 'timestamps') {
      const wanted = checkTimestamps(parseTimestamps(timestamps), durationS)
      const files = []
      for (const [index, at] of wanted.entries()) {
        const name = `frame-${String(index).padStart(3, '0')}.${format}`
        const path = await context.output(name)
        await writeFrameAt({ input, at, options: [...options, ...filtersOf()], path, signal: context.signal })
        files.push({ path, name, mime: mimeOf(format) })
        context.progress(files.length / wanted.length, 'extracting')
      }
      return { files, set }
    }
    if (mode === 'all') checkLength(durationS)
    // ffmpeg numbers the files itself, from a pattern in our own folder.
    const folder = dirname(await context.output(`frame-000001.${format}`))
    const pattern = `${join(folder.replaceAll('%', '%%'), 'frame-%06d')}.${format}`
    const select =
      mode === 'nth' ? [...filtersOf(`select=not(mod(n\\,${n}))`), '-vsync', 'vfr'] : [...filtersOf(), '-vsync', '0']
    await runFfmpeg([...input, ...options, ...select, '-f', 'image2', pattern], {
      signal: context.signal,
      durationS,
      onProgress: (fraction) => context.progress(fraction, 'extracting'),
      what: 'ffmpeg',
    })
    const names = (await readdir(folder)).filter((name) => name.endsWith(`.${format}`)).sort()
    if (names.length === 0)
      throw new MediaprocError('PROCESSING_FAILED', `${printableName(source.name)} gave no frame at all`)
    const files = names.map((name) => ({ path: join(folder, name), name, mime: mimeOf(format) }))
    return { files, set }
  },
})

function checkLength(durationS: number | undefined): void {
  if (durationS === undefined || durationS * ASSUMED_FPS <= MAX_FRAMES) return
  throw invalidSettings(
    `The video is ${Math.round(durationS)} s long, about ${Math.round(durationS * ASSUMED_FPS)} frames; the limit is ${MAX_FRAMES}`,
    'Take fewer: --mode nth --n 10, or --mode timestamps --timestamps 1.5,5',
  )
}
