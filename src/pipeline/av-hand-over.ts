import { audioCodecFor, encoderOf, videoCodecFor } from '../media/av/codecs.ts'
import type { AvPart } from '../media/av/graph.ts'

const LAYOUTS: Readonly<Record<string, string>> = { '1': 'mono', '2': 'stereo' }

/** Options of an encode that say what the stream itself becomes, as the filters that do the same. */
const AS_FILTERS: Readonly<Record<string, (value: string) => string | undefined>> = {
  '-ar': (rate) => `aresample=${rate}`,
  '-ac': (channels) => LAYOUTS[channels] && `aformat=channel_layouts=${LAYOUTS[channels]}`,
  '-r': (rate) => `fps=${rate}`,
}

/** Splits codec options into what only concerns the encoder, and filters for what outlives it. */
function split(options: readonly string[]): { options: string[]; filters: string[] } {
  const rest: string[] = []
  const filters: string[] = []
  for (let index = 0; index < options.length; index += 1) {
    const filter = AS_FILTERS[options[index]!]?.(options[index + 1] ?? '')
    if (filter === undefined) rest.push(options[index]!)
    else {
      filters.push(filter)
      index += 1
    }
  }
  return { options: rest, filters }
}

/** Whether a codec that was chosen for one container is not what another is written with. */
function isForeign(options: readonly string[], type: 'v' | 'a', extension: string): boolean {
  const own = type === 'v' ? videoCodecFor(extension) : audioCodecFor(extension)
  const encoder = encoderOf(options, type)
  return encoder !== undefined && encoder !== encoderOf(own, type)
}

/**
 * A part as it must be when a further one joins its command. An encode that the next part replaces leaves behind what it
 * made of the stream (sample rate, channels, frame rate), now as filters; codecs and options of a container that the next
 * part changes go.
 * @param extension of the output once the next part has joined
 */
export function handOverPart(part: AvPart, next: AvPart, extension: string): AvPart {
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
    audioFilters = [...audioFilters, ...split(audio).filters]
    if (next.encode?.audio) kept.audio = split(audio).options
  } else if (audio) kept.audio = audio
  return {
    ...part,
    ...(videoFilters.length > 0 && { videoFilters }),
    ...(audioFilters.length > 0 && { audioFilters }),
    encode: kept,
  }
}
