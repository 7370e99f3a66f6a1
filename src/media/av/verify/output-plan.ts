import { type Stream, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import { type Container, isTextSubtitle } from '../containers.ts'
import type { AvSource } from '../input/part.ts'
import type { Prepared } from '../input/prepared.ts'
import type { Merged } from '../merge.ts'
import type { Choice } from '../streams.ts'
import type { Change, StreamKind } from './loss.ts'

/** What an output may lack because it was asked for without. */
type Part = StreamKind | 'chapters'

/** A stream of the output, by the stream of the source that it is made of. */
export interface KeptStream {
  stream: Stream
  isCopy: boolean
}

/** What an output is meant to hold of a source, to compare it with afterwards. */
export interface OutputPlan {
  source: AvSource
  container: Container
  /** The output's, lower case without dot. */
  extension: string
  /** In the order of the output; streams that are not of the source come before them, see `added`. */
  kept: { video: readonly KeptStream[]; audio: readonly KeptStream[]; subtitle: readonly KeptStream[] }
  /** Streams of other files, by kind: they replace those of the source. */
  added: { audio: number; subtitle: number }
  /** How many cues the added subtitles have; undefined where that is not known. */
  addedCues?: number
  /** The tool was asked for an output without these. */
  dropped: ReadonlySet<Part>
  changes: ReadonlySet<Change>
  /** Lower-case names of tags that the tool writes itself. */
  writtenTags?: ReadonlySet<string>
  /** The source is one of several, which get one form. */
  isJoined?: true
  /** Chapters and subtitles cannot follow what is done to the time. */
  isRetimed: boolean
  /** Only a part of the time is kept. */
  isCut: boolean
  /** A cut at packets, whose length is not exact. */
  isRoughCut: boolean
  /** Seconds; undefined where it is not known. */
  durationS: number | undefined
  /** All kinds of streams of the source are in the output, so that it should be as long as `durationS`. */
  isWhole: boolean
}

/** What a command is meant to make of its source. */
export function outputPlan(
  source: AvSource,
  merged: Merged,
  choice: Choice,
  container: Container,
  { extension, prepared }: { extension: string; prepared: Prepared },
): OutputPlan {
  const { streams } = source.info
  const isFilm = videoStream(source.info) !== undefined
  // A file of sound alone, or of a picture alone, was asked for.
  const isExtract = isFilm && (container.video.length === 0 || container.audio.length === 0)
  const { texts } = prepared
  const isShown = ({ stream }: { stream: Stream }): boolean =>
    texts === undefined || !isTextSubtitle(stream) || texts.some(({ index }) => index === stream.index)
  const subtitles = choice.subtitles.filter(isShown)
  const dropped: readonly (readonly [Part, boolean])[] = [
    ['video', isFilm && (!merged.keepVideo || container.video.length === 0)],
    ['cover', isExtract || (isFilm && !merged.keepVideo)],
    ['audio', !merged.keepAudio],
    ['subtitle', isFilm && (!merged.keepSubtitles || isExtract)],
    ...(['attachment', 'data'] as const).map((kind) => [kind, isExtract] as const),
    // The sound of a film has its chapters; an animated picture has no time to look for.
    ['chapters', container.audio.length === 0],
  ]
  const hadAudio = streams.some(({ type }) => type === 'audio')
  const { videos, audios, otherAudio } = choice
  const keepsKinds = videos.length > 0 === isFilm && audios.length > 0 === hadAudio
  return {
    ...{ source, container, extension, durationS: merged.durationS, changes: merged.changes },
    kept: {
      video: videos.map(({ stream, codec }) => ({ stream, isCopy: codec === 'copy' })),
      audio: audios.map(({ stream, codec }) => ({ stream, isCopy: codec === 'copy' })),
      subtitle: subtitles.map(({ stream, codec }) => ({ stream, isCopy: codec === 'copy' })),
    },
    added: { audio: otherAudio === undefined ? 0 : 1, subtitle: merged.otherSubtitles ? 1 : 0 },
    ...(merged.otherSubtitles?.cues !== undefined && { addedCues: merged.otherSubtitles.cues }),
    dropped: new Set(dropped.flatMap(([kind, isDropped]) => (isDropped ? [kind] : []))),
    isRetimed: merged.retimed || merged.filteredCut,
    isCut: merged.cut !== undefined || merged.filteredCut,
    isRoughCut: merged.cut !== undefined && !merged.cut.exact,
    isWhole: !merged.changes.has('length') && keepsKinds,
  }
}
