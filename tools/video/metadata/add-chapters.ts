import { MediaprocError } from '../../../src/errors.ts'
import { containerFor } from '../../../src/media/av/containers.ts'
import { outputExtension } from '../../../src/media/av/filters/graph.ts'
import { withEnds } from '../../../src/media/av/labels/chapters.ts'
import { sceneChanges } from '../../../src/media/av/measure/scenes.ts'
import { printableName } from '../../../src/media/file.ts'
import { readText } from '../../../src/media/text-file.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { oneFile } from '../../../src/tool/contract.ts'
import { number } from '../../../src/tool/settings.ts'
import { parseChapters } from './add-chapters/parse.ts'

/** ffmpeg's scene score of most cuts, and of few movements. */
const THRESHOLD = 0.3
/** Share of the work before the file is written. */
const FINDING_SHARE = 0.8

export default avTool({
  section: 'video',
  id: 'add-chapters',
  summary: 'Write chapters into a video, from a list of times or at its scene changes',
  suffix: 'chapters',
  heavy: false,
  input: {
    ...oneFile('video'),
    secondary: {
      list: {
        required: false,
        what: 'lines such as "1:30 Title"; without it, scenes are found',
        accept: ['txt', 'md'],
      },
    },
  },
  settings: {
    minSceneS: number('without a list: the shortest chapter', { default: 30, min: 1, max: 3600, unit: 's' }),
  },
  output: { kind: 'file+report', type: { same: true, or: ['mp4'], surely: ['mp4', 'mov', 'mkv', 'webm'] } },
  examples: [{ title: 'at scene changes', inputs: ['film.mkv'], settings: { minSceneS: 1 } }],
  async produce([source], { minSceneS }, { secondary, signal, warn, progress }) {
    const { durationS } = source.info
    const extension = outputExtension(source, [])
    if (!containerFor(extension)?.chapters)
      throw new MediaprocError('INVALID_SETTINGS', `${extension.toUpperCase()} holds no chapters`, {
        hint: 'Convert the video to MP4 or MKV first.',
      })
    const { list } = secondary
    const onProgress = (fraction: number): void => progress(fraction * FINDING_SHARE, 'finding scenes')
    const chapters = list
      ? parseChapters(await readText(list, { warn }), { name: printableName(list.name), durationS, warn })
      : [0, ...(await sceneChanges(source, { threshold: THRESHOLD, minSceneS, signal, onProgress }))].map(
          (startS, index) => ({ startS, title: `Scene ${index + 1}` }),
        )
    if (!list && chapters.length === 1) warn('no scene change was found: the video gets one chapter')
    const placed = withEnds(chapters, durationS)
    if ((source.info.chapterList?.length ?? 0) > 0) warn('the chapters that the video had are replaced', 'advice')
    if ((placed[0]?.startS ?? 0) > 0 && containerFor(extension)?.demuxer === 'mov')
      warn(`in ${extension.toUpperCase()} the first chapter starts with the video, although the list has it later`)
    const report = { chapters: placed.map(({ startS, endS, title }) => ({ startS, endS, title })) }
    return { media: { source, part: { chapters: placed, progressFrom: list ? 0 : FINDING_SHARE } }, report }
  },
})
