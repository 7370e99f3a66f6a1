import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainVideo, probeMedia, type Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { Light } from '../../../engines/ffmpeg/light.ts'
import { withColour } from '../filters/colour.ts'
import { hevcOptions, isHdr } from '../picture/hdr.ts'
import { seconds } from '../range.ts'
import { type JoinedCodec, NAL, nalType, nalUnits } from './nal.ts'
import { isParameterSet, type ParameterSets } from './parameter-sets.ts'
import type { EncodedFrame } from './plan-cut.ts'
import type { Packet, Region } from './region.ts'
import { writeRegion } from './write-region.ts'

/** The frames of an edge, each as the NAL units of the encoder, in presentation order, which is also decoding order. */
export interface Edge {
  frames: { time: number; units: Buffer[] }[]
  sets: Buffer[]
}

/** Constant rate factors at which an edge looks like the copied part. */
const FACTORS = { h264: 17, hevc: 17 }

export const ENCODERS = { h264: 'libx264', hevc: 'libx265' } as const

/** Profiles that decoders of small devices need, by ffprobe's names. */
const SMALL_PROFILES: Readonly<Record<string, string>> = {
  Baseline: 'baseline',
  'Constrained Baseline': 'baseline',
  Main: 'main',
}

/** Options of an encoder that writes each frame as it is shown, after a delimiter. */
function encoderOptions(stream: Stream, codec: JoinedCodec, { id, light }: { id: number; light: Light }): string[] {
  const { pixelFormat = 'yuv420p', profile = '' } = stream
  const common = ['-crf', String(FACTORS[codec]), '-preset', 'medium', '-pix_fmt', pixelFormat]
  const small = SMALL_PROFILES[profile]
  if (codec === 'h264')
    return [
      ...['-c:v', ENCODERS.h264, ...common, ...(small ? ['-profile:v', small] : [])],
      ...['-bf', '0', '-x264-params', `aud=1:keyint=infinite:sps-id=${id}`],
    ]
  const [parameters, ...rest] = hevcOptions([], isHdr(stream) ? light : {}, false).slice(1)
  const own = 'aud=1:keyint=-1:bframes=0:repeat-headers=1:info=0:open-gop=0'
  return ['-c:v', ENCODERS.hevc, ...common, '-x265-params', `${parameters}:${own}`, ...rest]
}

/** The packets that frames of an edge are decoded from: from the key frame before them to the next key frame. */
export function packetsAround(packets: readonly Packet[], times: readonly number[]): Packet[] {
  const [earliest = 0, latest = 0] = [times[0], times.at(-1)]
  const from = packets.findLastIndex(({ isKey, time }) => isKey && time <= earliest)
  const last = packets.findLastIndex(({ time }) => time <= latest)
  const next = packets.findIndex(({ isKey, time }, index) => index > last && isKey && time > latest)
  return packets.slice(Math.max(0, from), next < 0 ? undefined : next)
}

/**
 * Encodes frames of a region.
 * @param options.id of the parameter sets of H.264: one that the source does not use
 * @returns undefined when another number of frames was decoded, or frames of another size encoded
 */
export async function encodeEdge(
  region: Region,
  sets: ParameterSets,
  frames: readonly EncodedFrame[],
  options: { id: number; light: Light; folder: string; name: string; signal: AbortSignal },
): Promise<Edge | undefined> {
  const { folder, name, signal, id, light } = options
  const { codec, stream, timescale } = region
  const times = frames.map(({ time }) => time)
  const around = packetsAround(region.packets, times)
  const input = join(folder, `${name}.mp4`)
  await writeRegion(input, region, { sets, packets: around })
  const output = join(folder, `${name}.video`)
  await runFfmpeg(
    [
      // The result is turned by its matrix, as the copied part is.
      ...['-noautorotate', ...inputArguments(input), '-map', '0:0', '-vf', spanOf(around, times, timescale)],
      ...['-vsync', 'passthrough', ...withColour(stream, encoderOptions(stream, codec, { id, light }))],
      ...['-f', codec, `file:${output}`],
    ],
    { signal, what: 'Encoding an edge' },
  )
  const units = nalUnits(await readFile(output))
  const groups: Buffer[][] = []
  for (const unit of units) {
    if (nalType(codec, unit) === NAL[codec].aud) groups.push([])
    else groups.at(-1)?.push(unit)
  }
  const { width, height } = mainVideo(await probeMedia(output, { signal }))
  const hasSize = width === stream.width && height === stream.height
  if (groups.length !== frames.length || !hasSize) return undefined
  return {
    frames: frames.map(({ time, shownAt = time }, index) => ({ time: shownAt, units: groups[index] ?? [] })),
    sets: units.filter((unit) => isParameterSet(codec, unit)),
  }
}

/** The filter that keeps the frames of an edge: its bounds are between frames, so that rounding loses none. */
export function spanOf(around: readonly Packet[], edge: readonly number[], timescale: number): string {
  const zero = around.reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY)
  const all = around.map(({ time }) => time).sort((a, b) => a - b)
  const [first = 0, last = 0] = [edge[0], edge.at(-1)]
  const before = all.findLast((time) => time < first) ?? first - 2
  const after = all.find((time) => time > last) ?? last + timescale
  const at = (one: number, other: number): string => seconds(Math.max(0, ((one + other) / 2 - zero) / timescale))
  return `trim=start=${at(before, first)}:end=${at(last, after)}`
}
