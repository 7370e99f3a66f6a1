import { seconds } from './range.ts'

/** More than speed and pitch filters buffer at the end, seconds. */
const FLUSH_S = 0.5

/** Filters that trim the audio's leading part, to compensate for a filter that outputs audio late. */
const earlier = (samples: number): string[] => [`atrim=start_sample=${samples}`, `asetpts=PTS-${samples}/SR/TB`]

/**
 * Wraps filters that output audio late, so that it is in sync and its end is complete.
 * @param lateSamples latency of the filters, samples
 */
export function onTime(filters: readonly string[], lateSamples: number): string[] {
  if (lateSamples <= 0) return [...filters]
  return [`apad=pad_len=${lateSamples}`, ...filters, ...earlier(lateSamples)]
}

/**
 * Adds silence before every channel. Each channel needs its own delay value, because older builds have no option for
 * all of them.
 */
const delayed = (delayS: number): string =>
  `adelay=${Array(8)
    .fill((delayS * 1000).toFixed(3))
    .join('|')}`

/**
 * Wraps speed or pitch filters so that the audio is in sync and complete: they process windows, which are output a few
 * milliseconds early or late, and drop the last ones.
 * @param latenessS latency of the filters; negative when early
 * @param lengthS duration of the result; when unknown, the last windows are lost
 */
export function stretchedOnTime(
  filters: readonly string[],
  { sampleRate, latenessS, lengthS }: { sampleRate: number; latenessS: number; lengthS: number | undefined },
): string[] {
  const late = Math.round(latenessS * sampleRate)
  return [
    ...(lengthS === undefined ? [] : [`apad=pad_len=${Math.ceil(FLUSH_S * sampleRate)}`]),
    ...filters,
    ...(late > 0 ? earlier(late) : late < 0 ? [delayed(-latenessS)] : []),
    ...(lengthS === undefined ? [] : ['apad', `atrim=end=${seconds(lengthS)}`]),
  ]
}
