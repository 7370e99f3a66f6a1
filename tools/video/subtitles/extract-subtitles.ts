import { stat } from 'node:fs/promises'
import { inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { isTextSubtitle } from '../../../src/media/av/containers.ts'
import { withTracks } from '../../../src/media/av/labels/track-choice.ts'
import { printableName } from '../../../src/media/file.ts'
import { suffixedName } from '../../../src/media/naming.ts'
import { mimeOf } from '../../../src/media/type.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { trackOf, trackSetting } from '../_shared/track-settings.ts'

export default avTool({
  section: 'video',
  id: 'extract-subtitles',
  summary: 'Save a subtitle track of a video as SRT',
  suffix: '',
  heavy: false,
  settings: { subtitleTrack: trackSetting('subtitle') },
  output: { kind: 'file', type: { is: 'srt' } },
  batch: true,
  examples: [{ title: 'only the text', inputs: ['film.mkv'] }],
  async produce([source], { subtitleTrack }, context) {
    const shown = printableName(source.name)
    const hasAny = source.info.streams.some(({ type }) => type === 'subtitle')
    const tracks = hasAny ? trackOf(source, 'subtitle', subtitleTrack) : {}
    const { streams } = withTracks(source, tracks).info
    const [stream, ...others] = streams.filter(({ type }) => type === 'subtitle')
    if (!stream) throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${shown} has no subtitles`)
    if (!isTextSubtitle(stream))
      throw new MediaprocError(
        'UNSUPPORTED_FILE_TYPE',
        `The subtitles of ${shown} are images, not text (${stream.codec})`,
      )
    if (others.length > 0) context.warn(`only the first of ${others.length + 1} subtitle tracks is saved`)
    const name = suffixedName(source, '', 'srt')
    const path = await context.output(name)
    await runFfmpeg(
      [...inputArguments(source.path), '-map', `0:${stream.index}`, '-c:s', 'srt', '-f', 'srt', `file:${path}`],
      {
        signal: context.signal,
        durationS: source.info.durationS,
        onProgress: (fraction) => context.progress(fraction, 'reading'),
        what: 'Saving the subtitles',
      },
    )
    if ((await stat(path)).size === 0) context.warn(`the subtitle track of ${shown} is empty`)
    return { files: [{ path, name, mime: mimeOf('srt') }] }
  },
})
