import { MediaprocError } from '../../src/errors.ts'
import { containerFor } from '../../src/media/av/containers.ts'
import type { AvSource } from '../../src/media/av/input/part.ts'
import { silencesOf } from '../../src/media/av/measure/silences.ts'
import { printableName } from '../../src/media/file.ts'
import { setName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { choice, integer, number } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { COVER_SETTINGS, coverPart, WITH_COVER } from './_shared/cover.ts'
import { isCutExactly } from './_shared/exact-cut.ts'
import { checkCuts, equalParts, everySegment, middlesOfSilence } from './split-audio/cuts.ts'
import { copyParts, writeExactParts } from './split-audio/write-parts.ts'

export default avTool({
  section: 'audio',
  id: 'split-audio',
  summary: 'Split audio by time, count or silence into a ZIP',
  settings: {
    mode: choice(['time', 'parts', 'silence'], 'where to cut', { default: 'time' }),
    segmentS: number('length of a part; the last one gets the remainder', {
      default: 60,
      min: 1,
      max: 3600,
      unit: 's',
      when: { mode: 'time' },
      label: 'Length of a part',
    }),
    parts: integer('number of parts of equal length', { default: 2, min: 2, max: 20, when: { mode: 'parts' } }),
    thresholdDb: number('audio below this level counts as silence', {
      default: -40,
      min: -80,
      max: -20,
      unit: 'dB',
      when: { mode: 'silence' },
    }),
    minSilenceS: number('shorter pauses are ignored', {
      default: 0.3,
      min: 0.1,
      max: 10,
      unit: 's',
      when: { mode: 'silence' },
    }),
    ...COVER_SETTINGS,
  },
  input: WITH_COVER,
  output: { kind: 'files', type: { same: true }, set: '{stem}_parts' },
  timeoutS: 600,
  batch: true,
  examples: [
    { title: 'a part for every second', inputs: ['tone.mp3'], settings: { segmentS: 1 } },
    { title: 'two halves', inputs: ['hum.wav'], settings: { mode: 'parts', parts: 2 } },
  ],
  async produce([given], settings, context) {
    const source = given
    const { durationS } = source.info
    if (durationS === undefined)
      throw invalidSettings(
        `The length of ${printableName(source.name)} is unknown, so it cannot be split`,
        'Convert it first.',
      )
    const cuts = await cutsOf(source, settings, durationS, context.signal)
    checkCuts(cuts, durationS)
    const extension = containerFor(source.extension) ? source.extension : 'mp3'
    const write = isCutExactly(extension) ? writeExactParts : copyParts
    const files = await write(source, cuts, extension, await coverPart(settings, context), context)
    if (files.length < 2 || (settings.mode === 'parts' && files.length !== settings.parts))
      throw new MediaprocError(
        'PROCESSING_FAILED',
        `${printableName(source.name)} was split into ${files.length} parts; its packets are too long for these cuts`,
        { hint: 'Ask for fewer or longer parts, or convert it to WAV first.' },
      )
    return { files: files.map((file) => ({ ...file, mime: mimeOf(extension) })), set: setName(source, 'parts') }
  },
})

async function cutsOf(
  source: AvSource,
  { mode, segmentS, parts, thresholdDb, minSilenceS }: Settings,
  durationS: number,
  signal: AbortSignal,
): Promise<number[]> {
  if (mode === 'time') return everySegment(durationS, segmentS)
  if (mode === 'parts') return equalParts(durationS, parts)
  return middlesOfSilence(await silencesOf(source, { thresholdDb, minSilenceS }, signal), durationS)
}

interface Settings {
  mode: 'time' | 'parts' | 'silence'
  segmentS: number
  parts: number
  thresholdDb: number
  minSilenceS: number
}
