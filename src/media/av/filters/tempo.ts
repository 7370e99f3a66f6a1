import { audioStreams } from '../../../engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../input/part.ts'
import { stretchedOnTime } from '../latency-compensation.ts'
import { latenessOf } from '../measure/lateness.ts'

/**
 * Range in which one atempo filter blends; above it samples are skipped, below it the value is rejected (ffmpeg's
 * atempo documentation).
 */
const MIN_LINK = 0.5
const MAX_LINK = 2

/**
 * ffmpeg filters that change the tempo of audio and keep its pitch: as many chained atempo filters as the factor needs.
 * @param factor above 0; 2 is twice as fast
 */
export function tempoFilters(factor: number): string[] {
  const links: number[] = []
  let rest = factor
  for (; rest < MIN_LINK; rest /= MIN_LINK) links.push(MIN_LINK)
  for (; rest > MAX_LINK; rest /= MAX_LINK) links.push(MAX_LINK)
  return [...links, rest].filter((link) => link !== 1).map((link) => `atempo=${Number(link.toFixed(6))}`)
}

/** Assumed for audio with an unknown sample rate, Hz. */
const USUAL_RATE = 48_000

/**
 * Filters that change the tempo of a source's audio, keep its pitch, and compensate for the latency of the filter.
 * @param factor above 0; 2 is twice as fast
 */
export async function tempoOnTime({ info }: AvSource, factor: number, signal: AbortSignal): Promise<string[]> {
  const [stream] = audioStreams(info)
  const filters = tempoFilters(factor)
  if (!stream || filters.length === 0) return filters
  const { sampleRate = USUAL_RATE } = stream
  const latenessS = await latenessOf(filters, sampleRate, factor, signal)
  const lengthS = info.durationS === undefined ? undefined : info.durationS / factor
  return stretchedOnTime(filters, { sampleRate, latenessS, lengthS })
}
