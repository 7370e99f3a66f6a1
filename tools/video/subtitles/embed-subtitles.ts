import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioCodecFor, videoCodecFor } from '../../../src/media/av/codecs.ts'
import type { AvPart } from '../../../src/media/av/input/part.ts'
import { type Cue, srtOf } from '../../../src/media/av/subtitles/cues.ts'
import { parseCues, withoutOverlaps, withText } from '../../../src/media/av/subtitles/parse.ts'
import type { Subtitles } from '../../../src/media/av/subtitles/read.ts'
import { printableName } from '../../../src/media/file.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import type { ProduceContext } from '../../../src/tool/job.ts'
import { text } from '../../../src/tool/settings.ts'
import { textEncoding } from '../../../src/tool/text-encoding.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { WITH_SUBTITLES, withSubtitles } from '../_shared/subtitle-input.ts'

const MP4_FAMILY = new Set(['mp4', 'mov', 'm4v'])
/** Other containers cannot represent their times. */
const REENCODED = new Set(['mpg', 'mpeg'])

export default avTool({
  section: 'video',
  id: 'embed-subtitles',
  summary: 'Add a subtitle file to a video as a switchable track',
  suffix: 'subs',
  heavy: false,
  input: WITH_SUBTITLES,
  settings: {
    encoding: textEncoding('the subtitle file'),
    language: text('language of the subtitles, as three letters (ISO 639-2)', {
      default: 'eng',
      minLength: 3,
      maxLength: 3,
    }),
  },
  output: { kind: 'file', type: { oneOf: ['mp4', 'mkv'] } },
  batch: false,
  examples: [{ title: 'English subtitles', inputs: ['clip.mp4', 'words.srt'] }],
  kinds: ['video', 'file'],
  check({ language }) {
    if (!/^[a-z]{3}$/.test(language))
      throw invalidSettings(
        `Expected language to be three lower-case letters, got '${language}'`,
        'For example: eng, deu, fra',
      )
  },
  async produce(sources, { language, encoding }, context) {
    const { video, subtitles } = await withSubtitles(sources, context, { tool: 'video/embed-subtitles', encoding })
    const container = MP4_FAMILY.has(video.extension) ? 'mp4' : 'mkv'
    const encode = REENCODED.has(video.extension) ? { video: videoCodecFor('mp4'), audio: audioCodecFor('mp4') } : {}
    const track = await trackOf(subtitles, container, context)
    return {
      media: {
        source: video,
        part: { subtitles: { ...track, language }, singleVideo: true, encode: { container, ...encode } },
      },
    }
  },
})

type Track = Pick<Exclude<AvPart['subtitles'], string | undefined>, 'path' | 'codec' | 'cues'>

/** Writes the subtitles in the container's format: scripts for Matroska, consecutive cues for MP4. */
async function trackOf(subtitles: Subtitles, container: 'mp4' | 'mkv', context: ProduceContext): Promise<Track> {
  const folder = await context.scratch()
  if (subtitles.format === 'ass') {
    const script = join(folder, 'words.ass')
    await writeFile(script, subtitles.text)
    if (container === 'mkv') return { path: script, codec: 'copy' }
    context.warn(`${printableName(subtitles.name)} becomes plain text: positions and styles of the script are lost`)
    const plain = join(folder, 'plain.srt')
    const { signal } = context
    await runFfmpeg([...inputArguments(script), '-f', 'srt', `file:${plain}`], {
      signal,
      what: 'Reading the subtitles',
    })
    return writeCues(withText(parseCues(await readFile(plain, 'utf8'), 'srt').cues), container, context)
  }
  return writeCues(subtitles.cues, container, context)
}

async function writeCues(given: readonly Cue[], container: 'mp4' | 'mkv', context: ProduceContext): Promise<Track> {
  const { cues, dropped } = container === 'mp4' ? withoutOverlaps(given) : { cues: given, dropped: 0 }
  if (dropped > 0) context.warn(`${dropped} cues are omitted: too many are shown at the same time`)
  const path = join(await context.scratch(), 'words.srt')
  await writeFile(path, srtOf(cues))
  return { path, cues: cues.length }
}
