import { type Stream, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { Light } from '../../../engines/ffmpeg/light.ts'
import { type Container, isTextSubtitle } from '../containers.ts'
import type { AvSource } from '../input/part.ts'
import type { Prepared } from '../input/prepared.ts'
import { chaptersFor } from '../labels/chapters.ts'
import { isChosen, withTracks } from '../labels/track-choice.ts'
import type { Merged } from '../merge.ts'
import type { Choice } from '../streams.ts'
import type { Change, StreamKind } from './loss.ts'

/** Parts that the tool can be asked to omit from an output. */
type Part = StreamKind | 'chapters'

/** A stream of the output, identified by its source stream. */
export interface KeptStream {
  stream: Stream
  isCopy: boolean
}

/** The expected content of an output, to verify it afterwards. */
export interface OutputPlan {
  source: AvSource
  container: Container
  /** Extension of the output, lower case without dot. */
  extension: string
  /** In output order; streams that do not come from the source precede them, see `added`. */
  kept: { video: readonly KeptStream[]; audio: readonly KeptStream[]; subtitle: readonly KeptStream[] }
  /** The number of streams from other files, by type: they replace those of the source. */
  added: { audio: number; subtitle: number; cover: number }
  /** The number of cues in the added subtitles; undefined if unknown. */
  addedCues?: number
  /** Parts that the tool was asked to omit. */
  dropped: ReadonlySet<Part>
  changes: ReadonlySet<Change>
  /** The mastering data that is written into HDR video. */
  light?: Light
  /** Lower-case names of the tags that the tool writes itself. */
  writtenTags?: ReadonlySet<string>
  /** The source is one of several that are converted to a common format. */
  isJoined?: true
  /** Subtitles cannot follow the change in timing. */
  isRetimed: boolean
  /** Chapters cannot follow it either. */
  losesChapters: boolean
  /** Only a time range is kept. */
  isCut: boolean
  /** A packet cut, whose duration is not exact. */
  isRoughCut: boolean
  /** Seconds; undefined if unknown. */
  durationS: number | undefined
  /** All stream types of the source are in the output, so it should be as long as `durationS`. */
  isWhole: boolean
}

/** The expected output of a command, based on its source. */
export function outputPlan(
  source: AvSource,
  merged: Merged,
  choice: Choice,
  container: Container,
  { extension, prepared }: { extension: string; prepared: Prepared },
): OutputPlan {
  const streams = source.info.streams.filter((stream) => isChosen(stream, merged.tracks))
  const isFilm = videoStream(source.info) !== undefined
  // An audio-only or video-only file was requested.
  const isExtract = isFilm && (container.video.length === 0 || container.audio.length === 0)
  const { texts } = prepared
  const isShown = ({ stream }: { stream: Stream }): boolean =>
    texts === undefined || !isTextSubtitle(stream) || texts.some(({ index }) => index === stream.index)
  const subtitles = choice.subtitles.filter(isShown)
  const dropped: readonly (readonly [Part, boolean])[] = [
    ['video', isFilm && (!merged.keepVideo || container.video.length === 0)],
    ['cover', merged.cover === 'drop' || isExtract || (isFilm && !merged.keepVideo)],
    ['audio', !merged.keepAudio],
    ['subtitle', isFilm && (!merged.keepSubtitles || isExtract)],
    ...(['attachment', 'data'] as const).map((kind) => [kind, isExtract] as const),
    // Audio extracted from a video keeps its chapters; an animated image has no timeline to search.
    ['chapters', container.audio.length === 0 || merged.chapters !== undefined],
  ]
  const hadAudio = streams.some(({ type }) => type === 'audio')
  const { videos, audios, otherAudio } = choice
  const keepsKinds = videos.length > 0 === isFilm && audios.length > 0 === hadAudio
  return {
    ...{ source: withTracks(source, merged.tracks), container, extension, durationS: merged.durationS },
    changes: new Set([...merged.changes, ...(choice.picture?.changes ?? [])]),
    ...(choice.picture?.light && { light: choice.picture.light }),
    kept: {
      video: videos.map(({ stream, codec }) => ({ stream, isCopy: codec === 'copy' })),
      audio: audios.map(({ stream, codec }) => ({ stream, isCopy: codec === 'copy' })),
      subtitle: subtitles.map(({ stream, codec }) => ({ stream, isCopy: codec === 'copy' })),
    },
    ...(typeof merged.tags === 'object' &&
      Object.keys(merged.tags).length > 0 && {
        writtenTags: new Set(Object.keys(merged.tags).map((name) => name.toLowerCase())),
      }),
    added: {
      audio: otherAudio === undefined ? 0 : 1,
      subtitle: merged.otherSubtitles ? 1 : 0,
      cover: typeof merged.cover === 'object' ? 1 : 0,
    },
    ...(merged.otherSubtitles?.cues !== undefined && { addedCues: merged.otherSubtitles.cues }),
    dropped: new Set(dropped.flatMap(([kind, isDropped]) => (isDropped ? [kind] : []))),
    isRetimed: merged.retimed || merged.filteredCut,
    losesChapters: (merged.retimed || merged.filteredCut) && !chaptersFor(source.info, merged),
    isCut: merged.cut !== undefined || merged.filteredCut,
    isRoughCut: merged.cut !== undefined && !merged.cut.exact && merged.joinedVideo === undefined,
    isWhole: !merged.changes.has('length') && keepsKinds,
  }
}
