import { readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainAudio, probeMedia, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { type Container, knownContainer } from '../../../src/media/av/containers.ts'
import { planAv } from '../../../src/media/av/filters/graph.ts'
import type { AvPart, AvSource } from '../../../src/media/av/input/part.ts'
import { frontCover, isReadableCover, readCover } from '../../../src/media/av/labels/cover-tags.ts'
import { readPlain } from '../../../src/media/av/plain.ts'
import { seconds } from '../../../src/media/av/range.ts'
import { runAv } from '../../../src/media/av/run.ts'
import { verifyOutput } from '../../../src/media/av/verify/verify.ts'
import type { ProduceContext } from '../../../src/tool/contract.ts'
import { reencoded } from '../_shared/encode/reencoded.ts'

const partName = (index: number, extension: string): string => `part-${String(index).padStart(3, '0')}.${extension}`

/** Writes parts of a lossless format sample-accurately: each is decoded and re-encoded, which changes nothing. */
export async function writeExactParts(
  source: AvSource,
  cuts: readonly number[],
  extension: string,
  cover: Pick<AvPart, 'cover'>,
  context: ProduceContext,
): Promise<{ path: string; name: string }[]> {
  const files: { path: string; name: string }[] = []
  const edges = [0, ...cuts]
  const warnings = new Set<string>()
  for (const [index, startS] of edges.entries()) {
    const name = partName(index, extension)
    const path = await context.output(name)
    const endS = edges[index + 1]
    const range = { startS, ...(endS !== undefined && { endS }), exact: true }
    await runAv(source, [{ ...reencoded(source, []), ...cover, range }], path, {
      signal: context.signal,
      warn: (message) => warnings.add(message),
    })
    files.push({ path, name })
    context.progress(files.length / edges.length, 'cutting')
  }
  // All parts lack the same things, so warn once.
  for (const message of warnings) context.warn(message)
  return files
}

/** How the streams of a file are handled in each part; the length of a part depends on the packets at its edges. */
const PACKETS: AvPart = { ...{ video: 'drop', subtitles: 'drop', singleAudio: true }, changes: ['length'] }

/**
 * Writes parts of other formats: packets are copied unchanged, each into exactly one part; a cut falls on the next
 * packet.
 */
export async function copyParts(
  source: AvSource,
  cuts: readonly number[],
  extension: string,
  cover: Pick<AvPart, 'cover'>,
  context: ProduceContext,
): Promise<{ path: string; name: string }[]> {
  const container = knownContainer(extension)
  const picture = await pictureOfParts(source, container, cover, context)
  const remux: AvPart = { ...(picture ? { cover: { path: picture } } : {}), encode: { container: extension } }
  // The segment muxer writes no covers, and does not mark the last Ogg page as such (RFC 3533, 6).
  const isRemuxed = container.demuxer === 'ogg' || picture !== undefined
  const folder = isRemuxed ? await context.scratch() : dirname(await context.output(partName(0, extension)))
  const pattern = `${join(folder.replaceAll('%', '%%'), 'part-%03d')}.${extension}`
  const stream = mainAudio(source.info)
  await runFfmpeg(
    [
      ...[...inputArguments(source.path), '-map', `0:${stream.index}`, '-c', 'copy', '-map_chapters', '-1'],
      ...['-f', 'segment', '-segment_format', container.muxer],
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
  const files: { path: string; name: string }[] = []
  const warnings = new Set<string>()
  for (const [index, name] of numbered.entries()) {
    const path = isRemuxed ? await context.output(name) : join(folder, name)
    const range = { startS: index === 0 ? 0 : cuts[index - 1]!, exact: false }
    const plans = [planAv(source, [{ ...PACKETS, ...cover, range, encode: { container: extension } }], path).output]
    const checked = {
      warn: (message: string) => void warnings.add(message),
      signal: context.signal,
    }
    if (isRemuxed) {
      const part = join(folder, name)
      const info = readPlain(part) ?? (await probeMedia(part, { signal: context.signal }))
      await runAv({ path: part, name, extension, info }, [remux], path, { ...checked, plans })
    } else await verifyOutput(path, plans, { ...checked, durationS: undefined, written: {}, damage: false })
    files.push({ path, name })
  }
  for (const message of warnings) context.warn(message)
  return files
}

/** The cover picture of all parts, as a file; undefined for none. */
async function pictureOfParts(
  source: AvSource,
  container: Container,
  { cover }: Pick<AvPart, 'cover'>,
  { scratch, signal }: ProduceContext,
): Promise<string | undefined> {
  if (!container.covers || cover === 'drop' || videoStream(source.info)) return undefined
  if (typeof cover === 'object') return cover.path
  const own = frontCover(source.info.streams.filter(isReadableCover))
  if (!own) return undefined
  const path = join(await scratch(), `own-cover.${own.codec === 'mjpeg' ? 'jpg' : 'png'}`)
  await writeFile(path, await readCover(source, own, signal))
  return path
}
