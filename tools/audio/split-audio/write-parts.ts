import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { containerFor } from '../../../src/media/av/containers.ts'
import { COVER_LOST } from '../../../src/media/av/losses.ts'
import type { AvSource } from '../../../src/media/av/part.ts'
import { seconds } from '../../../src/media/av/range.ts'
import { runAv } from '../../../src/media/av/run.ts'
import type { ProduceContext } from '../../../src/tool/contract.ts'
import { reencoded } from '../_shared/encode/reencoded.ts'

const partName = (index: number, extension: string): string => `part-${String(index).padStart(3, '0')}.${extension}`

/** Parts of a format without loss, to the sample: each is decoded and encoded again, which changes nothing. */
export async function writeExactParts(
  source: AvSource,
  cuts: readonly number[],
  extension: string,
  context: ProduceContext,
): Promise<{ path: string; name: string }[]> {
  const files: { path: string; name: string }[] = []
  const edges = [0, ...cuts]
  const told = new Set<string>()
  for (const [index, startS] of edges.entries()) {
    const name = partName(index, extension)
    const path = await context.output(name)
    const endS = edges[index + 1]
    const range = { startS, ...(endS !== undefined && { endS }), exact: true }
    await runAv(source, [{ ...reencoded(source, []), range }], path, {
      signal: context.signal,
      warn: (message) => told.add(message),
    })
    files.push({ path, name })
    context.progress(files.length / edges.length, 'cutting')
  }
  // What one part lacks, the others lack, too.
  for (const message of told) context.warn(message)
  return files
}

/** Parts of other formats: packets are copied as they are, each into one part only; a cut falls on the next packet. */
export async function copyParts(
  source: AvSource,
  cuts: readonly number[],
  extension: string,
  context: ProduceContext,
): Promise<{ path: string; name: string }[]> {
  const folder = dirname(await context.output(partName(0, extension)))
  const pattern = `${join(folder.replaceAll('%', '%%'), 'part-%03d')}.${extension}`
  const stream = audioStreams(source.info)[0]!
  if (source.info.streams.some(({ isAttachedPicture }) => isAttachedPicture)) context.warn(COVER_LOST)
  await runFfmpeg(
    [
      ...[...inputArguments(source.path), '-map', `0:${stream.index}`, '-c', 'copy', '-map_chapters', '-1'],
      ...['-f', 'segment', '-segment_format', containerFor(extension)!.muxer],
      ...['-segment_times', cuts.map(seconds).join(','), '-reset_timestamps', '1', pattern],
    ],
    {
      signal: context.signal,
      warn: context.warn,
      durationS: source.info.durationS,
      onProgress: (fraction) => context.progress(fraction, 'cutting'),
      what: 'Cutting',
    },
  )
  const names = (await readdir(folder)).filter((name) => /^part-\d+\./.test(name))
  const numbered = names.sort((a, b) => Number.parseInt(a.slice(5), 10) - Number.parseInt(b.slice(5), 10))
  return numbered.map((name) => ({ path: join(folder, name), name }))
}
