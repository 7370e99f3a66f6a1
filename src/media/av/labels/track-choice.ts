import type { MediaInfo, Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../errors.ts'
import { counted } from '../../../wording.ts'
import { printableName } from '../../file.ts'
import { shortLanguage } from './languages.ts'

/** A media file with its name for messages. */
interface Source {
  name: string
  info: MediaInfo
}

/** Track types that can be chosen. */
export type TrackType = 'audio' | 'subtitle'

/** The tracks of a type: their stream indexes in file order. */
export type Tracks = Partial<Readonly<Record<TrackType, readonly number[]>>>

/** `It has 2 audio tracks: 1 eng, 2 deu.` */
function listed(streams: readonly Stream[], type: TrackType): string {
  if (streams.length === 0) return `It has no ${type} tracks.`
  const names = streams.map(({ language }, position) => `${position + 1} ${language ?? 'of no stated language'}`)
  return `It has ${counted(streams.length, `${type} track`)}: ${names.join(', ')}.`
}

const matches = ({ language }: Stream, word: string): boolean =>
  language !== undefined && shortLanguage(language) === shortLanguage(word)

/**
 * The tracks that a list of numbers (from 1) and languages (ISO 639) names, as stream indexes in file order.
 * @param choice such as `1,de`; `all` or `none`
 * @returns undefined for all
 * @throws MediaprocError TARGET_UNREACHABLE for a track that the file does not have, INVALID_SETTINGS for an empty list
 */
export function chooseTracks(source: Source, type: TrackType, choice: string): readonly number[] | undefined {
  const words = choice.split(',').flatMap((word) => word.trim() || [])
  if (words.length === 1 && /^all$/i.test(words[0] ?? '')) return undefined
  if (words.length === 1 && /^none$/i.test(words[0] ?? '')) return []
  if (words.length === 0)
    throw new MediaprocError('INVALID_SETTINGS', `Expected numbers or languages of ${type} tracks, got nothing`, {
      hint: 'For example: 1,de. The word none leaves all out.',
    })
  const streams = source.info.streams.filter((stream) => stream.type === type)
  const chosen = words.flatMap((word) => {
    const isNumber = /^\d+$/.test(word)
    const found = streams.filter((stream, position) =>
      isNumber ? position + 1 === Number(word) : matches(stream, word),
    )
    if (found.length > 0) return found
    const what = isNumber ? `no ${type} track ${word}` : `no ${type} track in the language ${printableName(word)}`
    throw new MediaprocError('TARGET_UNREACHABLE', `${printableName(source.name)} has ${what}`, {
      hint: listed(streams, type),
    })
  })
  return streams.filter((stream) => chosen.includes(stream)).map(({ index }) => index)
}

/** Whether a stream is kept by a choice of tracks. */
export const isChosen = ({ type, index }: Stream, { audio, subtitle }: Tracks): boolean =>
  (type !== 'audio' || (audio?.includes(index) ?? true)) && (type !== 'subtitle' || (subtitle?.includes(index) ?? true))

/** A choice without some audio tracks, by their stream indexes. */
export const tracksWithout = ({ streams }: MediaInfo, tracks: Tracks, empty: readonly number[]): Tracks => ({
  ...tracks,
  audio: streams.flatMap((stream) =>
    stream.type === 'audio' && isChosen(stream, tracks) && !empty.includes(stream.index) ? [stream.index] : [],
  ),
})

/** A source without the tracks that are not chosen. */
export const withTracks = <Given extends Source>(source: Given, tracks: Tracks): Given => ({
  ...source,
  info: { ...source.info, streams: source.info.streams.filter((stream) => isChosen(stream, tracks)) },
})
