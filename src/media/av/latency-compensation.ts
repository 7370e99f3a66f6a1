import { seconds } from './range.ts'

/** More than the windows that filters of speed and pitch hold back at the end, seconds. */
const FLUSH_S = 0.5

/** Filters that take off what comes before the sound, so that what follows comes when it came before the late filter. */
const earlier = (samples: number): string[] => [`atrim=start_sample=${samples}`, `asetpts=PTS-${samples}/SR/TB`]

/**
 * Filters that give the sound late, so that it comes on time and none of its end is lost.
 * @param lateSamples how much later they give it
 */
export function onTime(filters: readonly string[], lateSamples: number): string[] {
  if (lateSamples <= 0) return [...filters]
  return [`apad=pad_len=${lateSamples}`, ...filters, ...earlier(lateSamples)]
}

/** Silence before every channel: each has a delay of its own, and there is no word for all in older builds. */
const delayed = (delayS: number): string =>
  `adelay=${Array(8)
    .fill((delayS * 1000).toFixed(3))
    .join('|')}`

/**
 * Filters that change speed or pitch, so that the sound comes on time and whole: they work in windows, which come some
 * milliseconds early or late, and the last of which do not come at all.
 * @param latenessS by how much they give it late; negative where early
 * @param lengthS of the result; where it is not known the windows at the end stay lost
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
