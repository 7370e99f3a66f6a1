import { availableParallelism } from 'node:os'
import { mapConcurrently, threadsPerJob } from '../../src/concurrency.ts'
import { zip } from '../../src/lists.ts'
import type { AvSource } from '../../src/media/av/input/part.ts'
import { tagsOf } from '../../src/media/av/labels/tags.ts'
import {
  type BlockLoudness,
  integratedOf,
  type Loudness,
  loudnessOfBlocks,
} from '../../src/media/av/measure/loudness.ts'
import { type AvRunOptions, runAv } from '../../src/media/av/run.ts'
import { printableName } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { uniqueNames } from '../../src/media/unique-names.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import type { OutputFile } from '../../src/tool/contract.ts'
import { boolean } from '../../src/tool/settings.ts'
import { tagM4a } from './replay-gain/m4a.ts'
import { splice, type TagWriter } from './replay-gain/splice.ts'
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
    const tracks = await measureAll(sources, signal, (part) => progress(part * MEASURING_SHARE, 'measuring'))
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
      const writer = WRITERS[source.extension]
      const lost = writer
        ? await writeTags(writer, source, path, tags, signal)
        : await copyTagged(source, path, tags, { signal, warn })
      if (lost) warn(`${printableName(name)} cannot store ${lost}`)
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

/** Measures several files at a time, as ffmpeg needs one core for each. */
async function measureAll(
  sources: readonly AvSource[],
  signal: AbortSignal,
  onProgress: (part: number) => void,
): Promise<BlockLoudness[]> {
  const parts = sources.map(() => 0)
  const failed = new AbortController()
  const one = (source: AvSource, index: number): Promise<BlockLoudness> =>
    loudnessOfBlocks(source, AbortSignal.any([signal, failed.signal]), (part) => {
      parts[index] = part
      onProgress(parts.reduce((sum, each) => sum + each, 0) / parts.length)
    })
  try {
    return await mapConcurrently(sources, threadsPerJob() ?? availableParallelism(), one)
  } catch (error) {
    failed.abort()
    throw error
  }
}

/** Formats for which ffmpeg stores no tags of these names and drops parts of the file, by extension. */
const WRITERS: Readonly<Record<string, TagWriter>> = { m4a: tagM4a, wav: tagWav }

const namesOf = (tags: readonly [string, string][]): string => tags.map(([tag]) => tag).join(', ')
const written = (tags: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(tags).filter(([, value]) => value !== '')

/** Copies a file with tags in it. @returns what it cannot store, and why; it is then copied without them */
async function writeTags(
  writer: TagWriter,
  source: AvSource,
  path: string,
  tags: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reason = written(tags).length > 0 ? await writer(source.path, path, lowerCase(tags), signal) : undefined
  if (written(tags).length > 0 && reason === undefined) return undefined
  await splice(source.path, path, [{ start: 0, end: Number.POSITIVE_INFINITY }], signal)
  return reason && `${namesOf(written(tags))}: ${reason}`
}

/** Copies the streams of a file with tags. @returns those that it does not store */
async function copyTagged(
  source: AvSource,
  path: string,
  tags: Readonly<Record<string, string>>,
  options: AvRunOptions,
): Promise<string | undefined> {
  const stored = tagsOf(await runAv(source, [{ tags }], path, options))
  const lost = written(tags).filter(([tag, value]) => stored[tag.toLowerCase()] !== value)
  return lost.length > 0 ? namesOf(lost) : undefined
}

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
