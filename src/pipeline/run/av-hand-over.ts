import { audioStreams } from '../../engines/ffmpeg/ffprobe.ts'
import { audioCodecFor, encoderOf, videoCodecFor } from '../../media/av/codecs.ts'
import type { AvPart, AvSource } from '../../media/av/filters/graph.ts'

const LAYOUTS: Readonly<Record<string, string>> = { '1': 'mono', '2': 'stereo' }

/** Filters that change the number of channels. */
const CHANGES_CHANNELS =
  /^(pan|aformat|amerge|join|channelmap|channelsplit|surround|headphone|extrastereo|stereotools)\b/

/**
 * The channel count of the audio after a part, if it equals the source's: after loudnorm, ffmpeg 5.1 cannot negotiate
 * it itself when the sample rate is set ("Cannot select channel layout").
 */
function layoutOf(source: AvSource, { audioFilters = [], audio }: AvPart): string | undefined {
  if (typeof audio === 'object' || audioFilters.some((filter) => CHANGES_CHANNELS.test(filter))) return undefined
  const [stream] = audioStreams(source.info)
  return stream?.channelLayout ?? LAYOUTS[String(stream?.channels)]
}

/** Encode options that change the stream itself, and the equivalent filters. */
function asFilter(option: string, value: string, layout: string | undefined): string | undefined {
  const own = option === '-ac' ? LAYOUTS[value] : undefined
  if (own) return `aformat=channel_layouts=${own}`
  if (option === '-ar') return `aformat=sample_rates=${value}${layout ? `:channel_layouts=${layout}` : ''}`
  return option === '-r' ? `fps=${value}` : undefined
}

/** Splits codec options into those only for the encoder, and filters for those that must persist. */
function split(options: readonly string[], layout?: string): { options: string[]; filters: string[] } {
  const rest: string[] = []
  const filters: string[] = []
  // A requested channel count is applied first, and also used in the sample rate's filter.
  const asked = LAYOUTS[options[options.indexOf('-ac') + 1] ?? '']
  for (let index = 0; index < options.length; index += 1) {
    const filter = asFilter(options[index]!, options[index + 1] ?? '', options.includes('-ac') ? asked : layout)
    if (filter === undefined) rest.push(options[index]!)
    else {
      filters.push(filter)
      index += 1
    }
  }
  return { options: rest, filters }
}

/** Whether a codec chosen for one container differs from the codec of another. */
function isForeign(options: readonly string[], type: 'v' | 'a', extension: string): boolean {
  const own = type === 'v' ? videoCodecFor(extension) : audioCodecFor(extension)
  const encoder = encoderOf(options, type)
  return encoder !== undefined && encoder !== encoderOf(own, type)
}

/**
 * A part as it must be when another one joins its command. If the next part replaces its encode, the encode's effects
 * on the stream (sample rate, channels, frame rate) remain as filters; codecs and options of a container that the next
 * part changes are dropped.
 * @param extension of the output after the next part has joined
 */
export function handOverPart(source: AvSource, part: AvPart, next: AvPart, extension: string): AvPart {
  const { encode } = part
  if (!encode) return part
  const changesContainer = next.encode?.container !== undefined && next.encode.container !== encode.container
  const replaced = (type: 'v' | 'a', options: readonly string[], later: readonly string[] | undefined): boolean =>
    later !== undefined || (changesContainer && isForeign(options, type, extension))
  const { video, audio, options, ...rest } = encode
  const kept: NonNullable<AvPart['encode']> = { ...rest }
  if (options && !changesContainer) kept.options = options
  let { videoFilters = [], audioFilters = [] } = part
  if (video && replaced('v', video, next.encode?.video)) {
    videoFilters = [...videoFilters, ...split(video).filters]
    if (next.encode?.video) kept.video = split(video).options
  } else if (video) kept.video = video
  if (audio && replaced('a', audio, next.encode?.audio)) {
    audioFilters = [...audioFilters, ...split(audio, layoutOf(source, part)).filters]
    if (next.encode?.audio) kept.audio = split(audio).options
  } else if (audio) kept.audio = audio
  return {
    ...part,
    ...(videoFilters.length > 0 && { videoFilters }),
    ...(audioFilters.length > 0 && { audioFilters }),
    encode: kept,
  }
}
