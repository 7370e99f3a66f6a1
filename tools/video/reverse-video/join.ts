import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { layoutFilters } from '../../../src/media/av/channels.ts'
import { audioCodecFor } from '../../../src/media/av/codecs.ts'
import { containerFor } from '../../../src/media/av/containers.ts'
import type { AvSource } from '../../../src/media/av/part.ts'
import { seconds } from '../../../src/media/av/range.ts'
import type { ReversedPart } from './parts.ts'

/** The parts as a list for the concat demuxer: names of our own, in the folder of the list. */
function listOf(parts: readonly ReversedPart[]): string {
  const lines = parts.map(({ path, lengthS }, index) => {
    const pauseS = parts[index + 1]?.pauseBeforeS ?? 0
    return `file '${basename(path)}'\nduration ${seconds(lengthS + pauseS)}\n`
  })
  return `ffconcat version 1.0\n${lines.join('')}`
}

/**
 * Joins reversed parts without encoding them again, with all sound of the source backwards.
 * @param parts in the order in which they are shown
 * @param path the output; its extension is `extension`
 */
export async function joinReversed(
  source: AvSource,
  parts: readonly ReversedPart[],
  { path, extension }: { path: string; extension: string },
  { signal, progress }: { signal: AbortSignal; progress(fraction: number): void },
): Promise<void> {
  const list = join(dirname(parts[0]!.path), 'parts.ffconcat')
  await writeFile(list, listOf(parts))
  const container = containerFor(extension)!
  const { durationS } = source.info
  const codec = audioCodecFor(extension)
  const tracks = container.single ? audioStreams(source.info).slice(0, 1) : audioStreams(source.info)
  const sound = tracks.flatMap(({ index, channels }, position) => {
    // As long as the whole, so that its end, which comes first, belongs to the end of the picture.
    const whole = durationS === undefined ? [] : ['apad', `atrim=end=${seconds(durationS)}`]
    const filters = ['aresample=async=1:first_pts=0', ...whole, 'areverse', ...layoutFilters(codec, channels)]
    return ['-map', `1:${index}`, `-filter:a:${position}`, filters.join(',')]
  })
  const [first] = parts
  await runFfmpeg(
    [
      ...(first!.pauseBeforeS > 0 ? ['-itsoffset', seconds(first!.pauseBeforeS)] : []),
      ...['-f', 'concat', '-safe', '1', '-i', list, ...inputArguments(source.path)],
      ...['-map', '0:v', '-c:v', 'copy', ...sound, ...(tracks.length > 0 ? codec : [])],
      ...['-map_metadata', '1', '-map_chapters', '-1', '-max_muxing_queue_size', '9999'],
      ...[...container.options, '-f', container.muxer, `file:${path}`],
    ],
    { signal, durationS, onProgress: progress, what: 'Joining' },
  )
}
