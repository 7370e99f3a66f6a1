import { containerFor } from '../../../src/media/av/containers.ts'
import { listKeyFrames, type Survey } from '../../../src/media/av/input/key-frames.ts'
import { printableName } from '../../../src/media/file.ts'
import { setName } from '../../../src/media/naming.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { boolean, choice, integer, number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { counted } from '../../../src/wording.ts'
import { type Cut, cutsOf, lengthCuts, MAX_PARTS, onKeyFrames, withPictures } from './split-video/cuts.ts'
import { type PartSpan, writeParts } from './split-video/parts.ts'
import { writeThumbnails } from './split-video/thumbnails.ts'

/** The share of the work before the first part is written. */
const FINDING_SHARE = 0.3

export default avTool({
  section: 'video',
  id: 'split-video',
  summary: 'Split a video at its scenes or chapters, by length or by size',
  settings: {
    by: choice(['scenes', 'chapters', 'length', 'size'], 'where to cut', { default: 'scenes' }),
    sensitivity: number('higher values find more scene changes', {
      default: 50,
      min: 0,
      max: 100,
      unit: '%',
      when: { by: 'scenes' },
    }),
    minSceneS: number('a shorter scene belongs to the one before', {
      ...{ default: 1, min: 0.1, max: 60, unit: 's', when: { by: 'scenes' } },
    }),
    partS: number('length of a part; the last one gets the remainder', {
      ...{ default: 60, min: 1, max: 36_000, unit: 's', when: { by: 'length' } },
    }),
    maxMb: integer('size of a part at most', { default: 100, min: 1, max: 100_000, unit: 'MB', when: { by: 'size' } }),
    smart: boolean('cut at the exact frames and encode the groups of pictures around them; otherwise at key frames', {
      ...{ default: false, when: { by: ['scenes', 'chapters', 'length'] } },
    }),
    results: choice(['parts', 'thumbnails'], 'the parts, or only a picture from the middle of each', {
      default: 'parts',
    }),
  },
  output: {
    kind: 'files+report',
    type: { oneOf: ['mp4', 'mov', 'mkv', 'webm', 'avi', 'ts', 'jpg'] },
    set: '{stem}_parts',
  },
  batch: true,
  examples: [
    { title: 'parts of a second', settings: { by: 'length', partS: 1 } },
    { title: 'a list of scenes with pictures', inputs: ['film.mkv'], settings: { results: 'thumbnails' } },
  ],
  async produce([source], { results, smart, ...settings }, context) {
    const { signal, warn, progress } = context
    const { durationS } = source.info
    const name = printableName(source.name)
    if (durationS === undefined) throw invalidSettings(`The length of ${name} is unknown`, 'Convert it first.')
    const survey = await listKeyFrames(source, signal)
    const asked = await cutsOf(source, durationS, settings, survey, {
      signal,
      warn,
      onProgress: (fraction) => progress(fraction * FINDING_SHARE, 'finding'),
    })
    // No cut is before the first frame.
    const keys = survey.keys.slice(1)
    const isExact = smart || results === 'thumbnails' || settings.by === 'size'
    const { cuts, movedS } = isExact
      ? { cuts: withPictures(source, asked, survey), movedS: 0 }
      : settings.by === 'length'
        ? { cuts: lengthCuts(keys, settings.partS, durationS), movedS: 0 }
        : onKeyFrames(source, asked, keys)
    if (cuts.length > MAX_PARTS) throw invalidSettings(`That would be ${cuts.length} parts; the limit is ${MAX_PARTS}`)
    if (cuts.length === 1) warn(`${name} stays in one part: ${WHY_ONE[settings.by]}`, 'advice')
    if (movedS > 0)
      warn(`cuts are at key frames, up to ${movedS.toFixed(2)} s from the places asked for: set smart for exact cuts`)
    const joined = asked.length - cuts.length
    if (joined > 0 && settings.by !== 'length')
      warn(
        `${counted(joined, 'part')} ${joined === 1 ? 'is' : 'are'} joined with another one: no picture or key frame is between their starts`,
      )
    const extension = containerFor(source.extension) ? source.extension : 'mp4'
    const shares = { from: FINDING_SHARE, to: 1 }
    const spans = spansOf(cuts, durationS)
    const files =
      results === 'parts'
        ? await writeParts({ ...source, played: survey.played }, spans, { extension, smart, shares }, context)
        : await writeThumbnails(source, spans, shares, context)
    const maximum = settings.maxMb * 1e6
    if (settings.by === 'size' && files.some(({ bytes }) => bytes > maximum))
      warn(`a part is larger than ${settings.maxMb} MB: its group of pictures alone is`)
    if (settings.by === 'length') for (const sentence of tooLong(spans, settings.partS, survey)) warn(sentence)
    const parts = spans.map(({ startS, endS, title }, index) => ({
      ...{ name: files[index]?.name, startS: rounded(startS), endS: rounded(endS) },
      ...(title !== undefined && { title }),
    }))
    return { files, set: setName(source, 'parts'), report: { parts } }
  },
})

const WHY_ONE = {
  scenes: 'no scene change was found',
  chapters: 'it has one chapter',
  length: 'it is not longer than a part, or has no key frame to cut at',
  size: 'it is not larger than a part, or has no key frame to cut at',
}

/** Warns of parts that are longer than asked for. */
function tooLong(spans: readonly PartSpan[], partS: number, { lastS }: Survey): string[] {
  const isLong = (fromS: number, toS: number): boolean => toS - fromS > partS + 0.1
  const long = spans.filter(({ startS, endS }) => isLong(startS, endS))
  if (long.length === 0) return []
  return long.some(({ startS, endS }) => isLong(startS, Math.min(endS, lastS)))
    ? [`a part is longer than ${partS} s: its group of pictures alone is, so set smart for exact cuts`]
    : [`the last part is longer than ${partS} s: its audio continues after the last picture`]
}

const rounded = (value: number): number => Number(value.toFixed(3))

/** The parts between cuts. */
function spansOf(cuts: readonly Cut[], durationS: number) {
  return cuts.map(({ timeS, title }, index) => ({ startS: timeS, endS: cuts[index + 1]?.timeS ?? durationS, title }))
}
