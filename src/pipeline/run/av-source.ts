import type { Stream } from '../../engines/ffmpeg/ffprobe.ts'
import { type AvPart, type AvSource, avDuration, outputExtension } from '../../media/av/filters/graph.ts'
import { isChosen } from '../../media/av/labels/track-choice.ts'

/** Stream properties that no processing changes. */
const CERTAIN: ReadonlySet<string | symbol> = new Set(['type', 'index', 'isAttachedPicture', 'language', 'title'])

/** The sample rate that the last part with an encode writes, if it sets one: with `-ar`, or by an equivalent filter. */
function sampleRateIn(parts: readonly AvPart[]): number | undefined {
  const { encode, audioFilters = [] } = parts.findLast((part) => part.encode?.audio) ?? {}
  const options = encode?.audio ?? []
  const at = options.lastIndexOf('-ar')
  const filter = /^aformat=sample_rates=(\d+)/.exec(audioFilters.at(-1) ?? '')?.[1]
  return at < 0 ? (filter && Number(filter)) || undefined : Number(options[at + 1])
}

const changesVideo = (part: AvPart): boolean =>
  (part.videoFilters?.length ?? 0) > 0 ||
  part.complexFilter !== undefined ||
  part.encode?.video !== undefined ||
  part.encode?.container !== undefined

const changesAudio = (part: AvPart): boolean =>
  (part.audioFilters?.length ?? 0) > 0 ||
  typeof part.audio === 'object' ||
  part.encode?.audio !== undefined ||
  part.encode?.container !== undefined

/** A stream that records access to properties that previous parts may have changed. */
function watched(stream: Stream, known: Partial<Stream>, onGuess: () => void): Stream {
  return new Proxy(stream, {
    get(target, key) {
      if (Object.hasOwn(known, key)) return known[key as keyof Stream]
      if (!CERTAIN.has(key)) onGuess()
      return Reflect.get(target, key)
    },
  })
}

/**
 * What another step would find in the file that the parts so far would write: its extension, length and kinds of
 * streams. Size, codec and similar properties of changed streams are unknown before the file is written; `hasGuessed`
 * reports whether they were accessed anyway.
 */
export function sourceAfter(source: AvSource, parts: readonly AvPart[]): { source: AvSource; hasGuessed(): boolean } {
  if (parts.length === 0) return { source, hasGuessed: () => false }
  let guessed = false
  const onGuess = (): void => {
    guessed = true
  }
  const video = parts.some(changesVideo)
  const audio = parts.some(changesAudio)
  const sampleRate = sampleRateIn(parts)
  const isKept = (stream: Stream): boolean =>
    !(stream.type === 'video' && parts.some((part) => part.video === 'drop')) &&
    !(stream.type === 'audio' && parts.findLast((part) => part.audio)?.audio === 'drop') &&
    !(stream.type === 'subtitle' && parts.some((part) => part.subtitles === 'drop')) &&
    parts.every(({ tracks = {} }) => isChosen(stream, tracks))
  const streams = source.info.streams.filter(isKept).map((stream) => {
    if (stream.type === 'video' && video) return watched(stream, {}, onGuess)
    if (stream.type === 'audio' && audio)
      return watched(stream, sampleRate === undefined ? {} : { sampleRate }, onGuess)
    return stream
  })
  const info = { ...source.info, durationS: avDuration(source, parts), streams }
  return { source: { ...source, extension: outputExtension(source, parts), info }, hasGuessed: () => guessed }
}
