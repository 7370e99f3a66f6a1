import { encoderOf } from '../codecs.ts'

/** One run of an encoder: its bit rate, and which of its passes it is. */
export interface Pass {
  kbps: number
  /** Absent: the only pass. */
  number?: 1 | 2
}

/** Prefix of the statistics files between the passes, in the working folder of ffmpeg. */
const LOG = 'pass'

/** Encoders whose wrapper in ffmpeg reads and writes statistics; SVT-AV1 has a single pass. */
const TWO_PASSES = new Set(['libx264', 'libx265', 'libvpx-vp9', 'libaom-av1'])

export const hasTwoPasses = (options: readonly string[]): boolean => TWO_PASSES.has(encoderOf(options, 'v') ?? '')

/** Options that choose a quality, which a bit rate replaces; each has a value. */
const QUALITY = new Set(['-crf', '-q:v', '-b:v'])

/** Codec options of a video with a bit rate instead of a quality. */
export function atRate(options: readonly string[], { kbps, number }: Pass): string[] {
  const rest: string[] = []
  for (let index = 0; index < options.length; index += 1) {
    if (QUALITY.has(options[index] ?? '')) index += 1
    else rest.push(options[index] ?? '')
  }
  const rate = ['-b:v', `${Math.max(1, Math.round(kbps))}k`]
  if (number === undefined) return [...rest, ...rate]
  // x265 has its own options; ffmpeg does not pass `-pass` to it.
  if (encoderOf(options, 'v') === 'libx265')
    return [...withParameters(rest, `pass=${number}:stats=${LOG}.x265`), ...rate]
  return [...rest, ...rate, '-pass:v:0', String(number), '-passlogfile:v:0', LOG]
}

function withParameters(options: readonly string[], added: string): string[] {
  const at = options.lastIndexOf('-x265-params')
  if (at < 0) return [...options, '-x265-params', added]
  return options.map((option, index) => (index === at + 1 ? `${option}:${added}` : option))
}
