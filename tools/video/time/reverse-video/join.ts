import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { inputArguments } from '../../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, type Chapter } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import { firstOf } from '../../../../src/lists.ts'
import { audioCodecFor } from '../../../../src/media/av/codecs.ts'
import { knownContainer } from '../../../../src/media/av/containers.ts'
import { FROM_THE_START, layoutFilters } from '../../../../src/media/av/filters/channels.ts'
import { writeReversedSound } from '../../../../src/media/av/filters/reversed-sound.ts'
import type { AvSource } from '../../../../src/media/av/input/part.ts'
import { chapterInput, writeChapters } from '../../../../src/media/av/labels/chapters.ts'
import { seconds } from '../../../../src/media/av/range.ts'
import type { OutputPlan } from '../../../../src/media/av/verify/output-plan.ts'
import { writeMedia } from '../../../../src/media/av/write.ts'
import type { ReversedPart } from './parts.ts'

/** The parts as a list for the concat demuxer: generated names in the list's folder. */
function listOf(parts: readonly ReversedPart[]): string {
  const lines = parts.map(({ path, lengthS }, index) => {
    const pauseS = parts[index + 1]?.pauseBeforeS ?? 0
    return `file '${basename(path)}'\nduration ${seconds(lengthS + pauseS)}\n`
  })
  return `ffconcat version 1.0\n${lines.join('')}`
}

interface Output {
  path: string
  extension: string
  plan: OutputPlan
  /** Options for the tag of the codec. */
  tag: readonly string[]
  chapters: readonly Required<Chapter>[] | undefined
}

/**
 * Joins reversed parts without re-encoding, with all audio of the source reversed.
 * @param parts in playback order
 */
export async function joinReversed(
  source: AvSource,
  parts: readonly ReversedPart[],
  { path, extension, plan, tag, chapters }: Output,
  { signal, warn, progress }: { signal: AbortSignal; warn(message: string): void; progress(fraction: number): void },
): Promise<void> {
  const folder = dirname(firstOf(parts).path)
  const list = join(folder, 'parts.ffconcat')
  await writeFile(list, listOf(parts))
  const container = knownContainer(extension)
  const { durationS, streams } = source.info
  const codec = audioCodecFor(extension)
  const all = audioStreams(source.info)
  const tracks = container.single ? all.slice(0, 1) : all
  const sounds = tracks.map((_, position) => join(folder, `sound-${position}.w64`))
  // The end of the audio, which comes first, belongs to the end of the video.
  const whole = durationS === undefined ? [] : ['apad', `atrim=end=${seconds(durationS)}`]
  const filters = [FROM_THE_START, ...whole]
  for (const [position, stream] of tracks.entries())
    await writeReversedSound(source, stream, sounds[position]!, { signal, filters })
  const sound = tracks.flatMap(({ index, channels, isDefault }, position) => {
    const layout = layoutFilters(codec, channels)
    return [
      ...['-map', `${position + 2}:a:0`, ...(layout.length > 0 ? [`-filter:a:${position}`, layout.join(',')] : [])],
      ...[`-map_metadata:s:a:${position}`, `1:s:${index}`, `-disposition:a:${position}`, isDefault ? 'default' : '0'],
    ]
  })
  const covers = container.covers === 'stream' ? streams.filter(({ isAttachedPicture }) => isAttachedPicture) : []
  const cover = covers.flatMap(({ index }, position) => [
    ...['-map', `1:${index}`, `-disposition:v:${position + 1}`, 'attached_pic'],
  ])
  const files = container.attachments ? streams.filter(({ type }) => type === 'attachment') : []
  const attached = files.flatMap(({ index }, position) => [
    ...['-map', `1:${index}`, `-c:t:${position}`, 'copy', `-map_metadata:s:t:${position}`, `1:s:${index}`],
  ])
  const titles = join(folder, 'chapters.txt')
  if (chapters) await writeChapters(titles, chapters)
  const [first] = parts
  await writeMedia(
    [
      ...(first!.pauseBeforeS > 0 ? ['-itsoffset', seconds(first!.pauseBeforeS)] : []),
      ...['-f', 'concat', '-safe', '1', '-i', list, ...inputArguments(source.path), ...sounds.flatMap(inputArguments)],
      ...(chapters ? chapterInput(titles) : []),
      ...['-map', '0:v', ...cover, '-c:v', 'copy', ...tag, ...sound, ...(tracks.length > 0 ? codec : []), ...attached],
      ...[
        '-map_metadata',
        '1',
        '-map_chapters',
        chapters ? String(sounds.length + 2) : '-1',
        '-max_muxing_queue_size',
        '9999',
      ],
      ...[...container.options, '-f', container.muxer, `file:${path}`],
    ],
    { path, plans: [plan], signal, warn, durationS, onProgress: progress, what: 'Joining' },
  )
}
