import { runProgram } from '../process/process.ts'
import { findFfprobe } from './ffprobe.ts'
import { inputArguments } from './input.ts'

/** The colours and brightness of HDR10 video, by SMPTE ST 2086 and CTA-861.3; as integers, so that they stay exact. */
export interface Light {
  mastering?: Mastering
  /** MaxCLL and MaxFALL, cd/m². */
  levels?: { most: number; average: number }
}

/** The display that the video was mastered on: chromaticities in 1/50000, luminance in 1/10000 cd/m². */
export interface Mastering {
  red: Point
  green: Point
  blue: Point
  white: Point
  min: number
  max: number
}

type Point = readonly [number, number]

/** Packets read in search of a frame: a file can start between key frames. */
const PACKETS = 30
const TIMEOUT_MS = 60_000
/** Output limit, bytes; a frame takes about 2 kB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

const CHROMATICITY = 50_000
const LUMINANCE = 10_000

type SideData = Readonly<Record<string, string | number | undefined>>

/**
 * Reads the mastering display and content light levels of a video from its first frames: in HEVC they can be stored
 * there only.
 * @param index of the stream
 * @returns the values found, and the names of dynamic metadata; undefined without ffprobe, or if it fails
 */
export async function readLight(
  path: string,
  index: number,
  signal?: AbortSignal,
): Promise<{ light: Light; dynamic: readonly string[] } | undefined> {
  const program = await findFfprobe()
  if (!program) return undefined
  const frames = ['-select_streams', String(index), '-read_intervals', `%+#${PACKETS}`, '-show_frames']
  try {
    const { stdout } = await runProgram(
      program.path,
      ['-v', 'error', '-print_format', 'json', ...frames, ...inputArguments(path)],
      { what: 'ffprobe', timeoutMs: TIMEOUT_MS, maxOutput: MAX_ANSWER_BYTES, ...(signal && { signal }) },
    )
    const { frames: found = [] } = JSON.parse(stdout) as { frames?: { side_data_list?: SideData[] }[] }
    const sides = found.find(({ side_data_list = [] }) => side_data_list.length > 0)?.side_data_list ?? []
    return readSides(sides)
  } catch (error) {
    if (signal?.aborted) throw error
    // A build of 2018 crashes on transport streams.
    return undefined
  }
}

function readSides(sides: readonly SideData[]): { light: Light; dynamic: readonly string[] } {
  const named = (name: string): SideData | undefined => sides.find(({ side_data_type }) => side_data_type === name)
  const mastering = masteringOf(named('Mastering display metadata'))
  const levels = named('Content light level metadata')
  const dynamic = sides.flatMap(({ side_data_type: name }) =>
    /HDR10\+|HDR Dynamic|Dolby Vision/.test(String(name)) ? [String(name)] : [],
  )
  return {
    light: {
      ...(mastering && { mastering }),
      ...(levels && { levels: { most: Number(levels.max_content) || 0, average: Number(levels.max_average) || 0 } }),
    },
    dynamic,
  }
}

/** `34000/50000` in units of `1 / scale`; NaN if absent. */
function scaled(fraction: string | number | undefined, scale: number): number {
  const [numerator, denominator = 1] = String(fraction).split('/').map(Number)
  return Math.round(((numerator ?? Number.NaN) * scale) / denominator)
}

function masteringOf(side: SideData | undefined): Mastering | undefined {
  if (!side) return undefined
  const point = (name: string): Point => [
    scaled(side[`${name}_x`], CHROMATICITY),
    scaled(side[`${name}_y`], CHROMATICITY),
  ]
  const mastering = {
    ...{ red: point('red'), green: point('green'), blue: point('blue'), white: point('white_point') },
    ...{ min: scaled(side.min_luminance, LUMINANCE), max: scaled(side.max_luminance, LUMINANCE) },
  }
  const isComplete = Object.values(mastering).flat().every(Number.isFinite)
  return isComplete ? mastering : undefined
}
