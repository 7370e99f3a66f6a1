import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inputArguments, requireFilter, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { filterValue } from '../../../src/engines/ffmpeg/filter.ts'
import { shippedFontsFolder } from '../../../src/engines/fonts.ts'
import { audioCodecFor, videoCodecFor } from '../../../src/media/av/codecs.ts'
import { knownContainer } from '../../../src/media/av/containers.ts'
import { staysHdr } from '../../../src/media/av/picture/overlay.ts'
import { srtOf } from '../../../src/media/av/subtitles/cues.ts'
import type { Subtitles } from '../../../src/media/av/subtitles/read.ts'
import { withScriptFonts } from '../../../src/media/av/subtitles/script-fonts.ts'
import { onlyText } from '../../../src/media/av/subtitles/strip.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { integer } from '../../../src/tool/settings.ts'
import { textEncoding } from '../../../src/tool/text-encoding.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { WITH_SUBTITLES, withSubtitles } from '../_shared/subtitle-input.ts'

/** The reference height for sizes if a script does not define one (libass). */
const USUAL_HEIGHT = 288

/** Automatic text direction by the first letter: right to left for Arabic and Hebrew (libass: -1). */
const EITHER_DIRECTION = '$1-1'

/** Writes subtitles in any format as a script that uses the bundled fonts; returns its path. */
async function writeScript(subtitles: Subtitles, folder: string, signal: AbortSignal): Promise<string> {
  const script = join(folder, 'script.ass')
  if (subtitles.format === 'ass') {
    await writeFile(script, withScriptFonts(subtitles.text))
    return script
  }
  const [given, converted] = [join(folder, 'given.srt'), join(folder, 'converted.ass')]
  await writeFile(given, srtOf(subtitles.cues))
  await runFfmpeg([...inputArguments(given), '-f', 'ass', `file:${converted}`], {
    signal,
    what: 'Reading the subtitles',
  })
  const text = onlyText(await readFile(converted, 'utf8'))
  await writeFile(script, withScriptFonts(text.replace(/^(Style:.*,)-?\d+$/gm, EITHER_DIRECTION)))
  return script
}

export default avTool({
  section: 'video',
  id: 'burn-subtitles',
  summary: 'Draw subtitles permanently onto the video',
  suffix: 'subtitled',
  async: true,
  input: WITH_SUBTITLES,
  settings: {
    encoding: textEncoding('the subtitle file'),
    fontSize: integer('font size, in 1/288 of the image height', {
      default: 24,
      min: 8,
      max: 72,
    }),
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'file', type: { is: 'mp4' } },
  batch: false,
  examples: [
    { title: 'for players without subtitle support', inputs: ['clip.mp4', 'words.srt'], settings: { fontSize: 32 } },
  ],
  kinds: ['video', 'file'],
  async produce(sources, { fontSize, encoding, ...rest }, context) {
    const { video, subtitles } = await withSubtitles(sources, context, { tool: 'video/burn-subtitles', encoding })
    await requireFilter('subtitles')
    const script = await writeScript(subtitles, await context.scratch(), context.signal)
    const text = subtitles.format === 'ass' ? subtitles.text : ''
    const own = Number(/^\s*PlayResY\s*:\s*(\d+)/im.exec(text)?.[1]) || USUAL_HEIGHT
    const style = `FontName=Noto Sans,FontSize=${Number(((fontSize * own) / USUAL_HEIGHT).toFixed(2))}`
    const codec = videoCodecFor('mp4')
    const request = { choice: rest, options: codec, container: knownContainer('mp4'), filters: [] }
    // Scripts choose their own colours; other text is white, which would dazzle in HDR.
    const dimmed = text === '' && staysHdr(mainVideo(video.info), request) ? ',PrimaryColour=&H00949494' : ''
    const options = [
      filterValue(script),
      `fontsdir=${filterValue(shippedFontsFolder())}`,
      `force_style=${filterValue(style + dimmed)}`,
    ]
    return {
      media: {
        source: video,
        part: {
          videoFilters: [`subtitles=${options.join(':')}`],
          ...pictureOf(rest),
          singleVideo: true,
          encode: { container: 'mp4', video: codec, audio: audioCodecFor('mp4') },
        },
      },
    }
  },
})
