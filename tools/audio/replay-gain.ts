import { zip } from '../../src/lists.ts'
import { tagsOf, WITHOUT_OWN_TAGS } from '../../src/media/av/labels/tags.ts'
import { integratedOf, type Loudness, loudnessOfBlocks } from '../../src/media/av/measure/loudness.ts'
import { runAv } from '../../src/media/av/run.ts'
import { printableName } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { uniqueNames } from '../../src/media/unique-names.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import type { OutputFile } from '../../src/tool/contract.ts'
import { boolean } from '../../src/tool/settings.ts'
import { tagM4a } from './replay-gain/m4a.ts'
import { gainDb, replayGainTags } from './replay-gain/tags.ts'
import { tagWav } from './replay-gain/wav.ts'

/** Share of the work that the measurements are; the rest copies. */
const MEASURING_SHARE = 0.9

export default avTool({
  section: 'audio',
  id: 'replay-gain',
  summary: 'Tag tracks and albums with ReplayGain or R128 gains, without re-encoding',
  // The formats whose muxers in ffmpeg store tags of any name, and those of WRITERS.
  input: {
    files: 'many',
    min: 1,
    max: 200,
    accept: ['mp3', 'flac', 'ogg', 'oga', 'opus', 'aiff', 'aif', 'm4a', 'wav'],
  },
  settings: {
    album: boolean('also measure the files together, as one album', { default: true }),
  },
  output: { kind: 'files+report', type: { same: true }, set: 'replaygain' },
  batch: false,
  examples: [{ title: 'an album of one track', inputs: ['tone.mp3'] }],
  async produce(sources, { album }, { signal, warn, progress, output }) {
    const share = MEASURING_SHARE / sources.length
    const tracks: Awaited<ReturnType<typeof loudnessOfBlocks>>[] = []
    for (const [index, source] of sources.entries())
      tracks.push(await loudnessOfBlocks(source, signal, (part) => progress((index + part) * share, 'measuring')))
    const whole: Loudness = {
      integrated: integratedOf(tracks.flatMap(({ blocks }) => blocks)),
      truePeak: Math.max(...tracks.map(({ truePeak }) => truePeak)),
    }
    const names = uniqueNames(sources.map((source) => suffixedName(source, 'replaygain', source.extension)))
    const files: OutputFile[] = []
    for (const [[source, track], name] of zip(zip(sources, tracks), names)) {
      const isSilent = !Number.isFinite(track.integrated)
      if (isSilent) warn(`${printableName(source.name)} is silent, so it gets no gain`)
      const tags = isSilent ? {} : replayGainTags(source.extension, track, album ? whole : undefined)
      const path = await output(name)
      const writer = isSilent ? undefined : WRITERS[source.extension]
      // Readers of WAV that find RIFF's own tags look for no others.
      const encode = source.extension === 'wav' ? { container: 'wav', options: WITHOUT_OWN_TAGS } : undefined
      const copied = await runAv(source, [{ tags, ...(encode && { encode }) }], path, { signal, warn })
      const isWritten = await writer?.(path, lowerCase(tags))
      const stored = tagsOf(copied)
      const lost = isWritten
        ? []
        : Object.entries(tags).filter(([tag, value]) => value !== '' && stored[tag.toLowerCase()] !== value)
      if (lost.length > 0) warn(`${printableName(name)} cannot store ${lost.map(([tag]) => tag).join(', ')}`)
      files.push({ path, name, mime: mimeOf(source.extension) })
      progress(MEASURING_SHARE + (1 - MEASURING_SHARE) * (files.length / sources.length), 'writing')
    }
    const report = {
      tracks: zip(sources, tracks).map(([{ name }, track]) => ({ name, ...figures(track) })),
      ...(album && { album: figures(whole) }),
    }
    return { files, set: 'replaygain', report }
  },
})

type Writer = typeof tagM4a

/** Formats for which ffmpeg stores no tags of these names, by extension. */
const WRITERS: Readonly<Record<string, Writer>> = { m4a: tagM4a, wav: tagWav }

/** ReplayGain tags under the names in lower case that players of these formats read. */
const lowerCase = (tags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tags).flatMap(([tag, value]) => (tag.startsWith('REPLAYGAIN_') ? [[tag.toLowerCase(), value]] : [])),
  )

/** Figures of the report; null for silence. */
function figures(loudness: Loudness) {
  const { integrated, truePeak } = loudness
  const rounded = (value: number): number | null => (Number.isFinite(value) ? Number(value.toFixed(2)) : null)
  return { lufs: rounded(integrated), truePeakDb: rounded(truePeak), gainDb: rounded(gainDb(loudness)) }
}
