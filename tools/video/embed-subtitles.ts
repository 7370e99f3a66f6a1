import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { audioCodecFor, videoCodecFor } from '../../src/media/av/codecs.ts'
import { printableName } from '../../src/media/file.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { text } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { WITH_SUBTITLES, withSubtitles } from './_shared/subtitle-input.ts'

const MP4_FAMILY = new Set(['mp4', 'mov', 'm4v'])
/** Their times do not fit into other containers. */
const REENCODED = new Set(['mpg', 'mpeg'])

export default avTool({
  section: 'video',
  id: 'embed-subtitles',
  summary: 'Add a subtitle file to a video as a switchable track',
  suffix: 'subs',
  heavy: false,
  input: WITH_SUBTITLES,
  settings: {
    language: text('what language they are in, as three letters (ISO 639-2)', {
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
  async produce(sources, { language }, context) {
    const { video, subtitles } = await withSubtitles(sources, context, 'video/embed-subtitles')
    const container = MP4_FAMILY.has(video.extension) ? 'mp4' : 'mkv'
    if (subtitles.format === 'ass')
      context.warn(`${printableName(subtitles.name)} becomes plain text: the places and looks of the script are lost`)
    const path = join(await context.scratch(), `words.${subtitles.format}`)
    await writeFile(path, subtitles.text)
    const encode = REENCODED.has(video.extension) ? { video: videoCodecFor('mp4'), audio: audioCodecFor('mp4') } : {}
    return {
      recording: {
        source: video,
        part: { subtitles: { path, language }, singleVideo: true, encode: { container, ...encode } },
      },
    }
  },
})
