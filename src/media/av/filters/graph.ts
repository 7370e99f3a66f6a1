import { resolve } from 'node:path'
import { type Chapter, type Stream, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { FrameProgress } from '../../../engines/ffmpeg/progress.ts'
import { MediaprocError } from '../../../errors.ts'
import { audioArguments, otherArguments, outputArguments, readingArguments, videoArguments } from '../arguments.ts'
import { containerFor, isTextSubtitle, knownContainer } from '../containers.ts'
import type { Span } from '../input/coverage.ts'
import type { AvPart, AvSource } from '../input/part.ts'
import type { Prepared } from '../input/prepared.ts'
import { chaptersFor } from '../labels/chapters.ts'
import type { CoverTag } from '../labels/cover-tags.ts'
import { tracksWithout } from '../labels/track-choice.ts'
import { agrees, isShaped, mergeParts } from '../merge.ts'
import type { PicturePlan } from '../picture/plan.ts'
import type { PictureChoice } from '../picture/request.ts'
import { type Cut, isAsf } from '../range.ts'
import { type Choice, chooseStreams } from '../streams.ts'
import { atRate } from '../target-size/passes.ts'
import { type OutputPlan, outputPlan } from '../verify/output-plan.ts'

export type { AvPart, AvSource } from '../input/part.ts'

/** One ffmpeg command, without the options common to all runs. */
export interface AvPlan {
  arguments: string[]
  /** The command without its output, for a pass that only analyses the video. */
  analysis: string[]
  /** Extension of the output, lower case without dot. */
  extension: string
  /** Expected duration of the output, seconds. */
  durationS: number | undefined
  /** How progress counts frames. */
  frames: FrameProgress | undefined
  /** Whether all streams of the type are copied unchanged. */
  copies: { video: boolean; audio: boolean }
  /** What the output is verified against. */
  output: OutputPlan
  /** The cut applied while the video is read. */
  cut: Cut | undefined
  /** The time of the source that is kept, if only a part is. */
  span: Span | undefined
  /** Its audio tracks in the output. */
  audios: readonly Stream[]
  /** The video of the cut comes from a file of its own. */
  isJoined: boolean
  /** The cut of copied audio whose first packet is not heard, without video. */
  soundCut: Cut | undefined
  /** The first video that is encoded, how its fields and dynamic range are to be handled, and how they are. */
  encoded: Stream | undefined
  asked: PictureChoice
  picture: PicturePlan | undefined
  /** Subtitles that must be cut as text. */
  texts: Stream[]
  /** Cover images that must be written as tags. */
  coverTags: readonly CoverTag[]
  /** Chapters that must be written for the result, which starts some seconds later than requested. */
  chaptersAt(shiftS: number): readonly Required<Chapter>[] | undefined
  /** Subtitles that are converted to a format which shows one cue at a time. */
  oneByOne: Stream[]
}

/** The extension of the output: the last container that a part requests, or the source's. */
export function outputExtension(source: AvSource, parts: readonly AvPart[]): string {
  const asked = parts.findLast((part) => part.encode?.container)?.encode?.container
  const extension = (asked ?? source.extension).toLowerCase()
  if (containerFor(extension)) return extension
  return videoStream(source.info) ? 'mp4' : 'mp3'
}

/** Expected duration of the output in seconds; undefined when the source's duration is unknown. */
export function avDuration(source: AvSource, parts: readonly AvPart[]): number | undefined {
  return mergeParts(source, parts).durationS
}

/**
 * Whether another part can be added to the command with the same result as running it as a separate command. If not, a
 * pipeline writes an intermediate file and continues from it.
 */
export function joinsRun(source: AvSource, parts: readonly AvPart[], next: AvPart): boolean {
  if (parts.some((part) => part.endsRun)) return false
  const before = mergeParts(source, parts)
  if (before.complexFilter && next.complexFilter) return false
  if (next.range && before.otherSubtitles) return false
  if (parts.length > 0 && !agrees(before, next.picture)) return false
  if (next.range && isShaped(before)) {
    // After filters, a cut is done with filters: it is always exact, and subtitles and chapters cannot follow it.
    const hasSubtitles = before.keepSubtitles && source.info.streams.some((stream) => stream.type === 'subtitle')
    const hasChapters = source.info.chapters > 0 && !before.retimed
    if (!next.range.exact || hasSubtitles || hasChapters) return false
  }
  // A copied video starts at a key frame somewhere before the cut; filtered audio would not know where.
  const merged = mergeParts(source, [...parts, next])
  const extension = outputExtension(source, [...parts, next])
  const choice = chooseStreams(source, merged, extension, knownContainer(extension))
  const copies = copiesOf(choice)
  return !(merged.cut && !merged.cut.exact && choice.videos.length > 0 && copies.video && !copies.audio)
}

/**
 * Builds the single ffmpeg command for all parts, in order: streams that need no change are copied, the others are
 * encoded once. Everything that the container supports is carried over.
 * @param prepared frame times at a cut; without them the cut is made exactly where the parts request it
 * @throws MediaprocError INVALID_SETTINGS for a range outside the file, INVALID_FILE when no stream would remain
 */
export function planAv(
  source: AvSource,
  parts: readonly AvPart[],
  outputPath: string,
  prepared: Prepared = {},
): AvPlan {
  const merged = mergeParts(source, parts)
  if (prepared.emptyTracks) merged.tracks = tracksWithout(source.info, merged.tracks, prepared.emptyTracks)
  const extension = outputExtension(source, parts)
  const container = knownContainer(extension)
  const choice = chooseStreams(source, merged, extension, container, prepared.picture)
  if (prepared.pass) choice.videoOptions = atRate(choice.videoOptions, prepared.pass)
  const { videos, audios, otherAudio } = choice
  if (videos.length + audios.length === 0 && otherAudio === undefined) {
    const missing = container.video.length > 0 && merged.keepVideo ? 'video or audio' : 'audio'
    throw new MediaprocError('INVALID_FILE', `The file has no ${missing} stream to write`)
  }

  const copies = copiesOf(choice)
  const hasCopies = [...videos, ...audios].some(({ codec }) => codec === 'copy')
  const cut = videos.length > 0 ? merged.cut : undefined
  const startsUnheard = videos.length === 0 && copies.audio && isAsf(source.info) && (merged.cut?.startS ?? 0) > 0
  const soundCut = startsUnheard ? merged.cut : undefined
  if (prepared.cut) merged.cut = prepared.cut
  const video = [
    ...readingArguments(source, merged, choice, copies, prepared),
    ...videoArguments(source, merged, choice, container),
  ]
  return {
    analysis: [...video, '-an', '-vsync', container.muxer === 'avi' ? 'cfr' : 'vfr'],
    arguments: [
      ...video,
      ...audioArguments(source, merged, choice, copies, container),
      ...otherArguments(source, merged, choice, container, prepared.texts),
      ...outputArguments(source, merged, container, hasCopies, prepared),
      ...['-f', container.muxer, `file:${resolve(outputPath)}`],
    ],
    extension,
    durationS: merged.durationS,
    frames: merged.frames,
    copies,
    output: outputPlan(source, merged, choice, container, { extension, prepared }),
    cut,
    span: videos.length > 0 ? merged.span : undefined,
    audios: audios.map(({ stream }) => stream),
    soundCut,
    isJoined: merged.joinedVideo !== undefined,
    encoded: videos.find(({ codec }) => codec === 'encode')?.stream,
    asked: merged.picture,
    picture: choice.picture,
    coverTags: choice.coverTags,
    chaptersAt: (shiftS) =>
      container.chapters && (cut || !merged.cut) ? chaptersFor(source.info, merged, shiftS) : undefined,
    oneByOne: choice.subtitles.some(({ codec }) => codec === 'mov_text')
      ? choice.subtitles.map(({ stream }) => stream).filter(isTextSubtitle)
      : [],
    texts: cut ? choice.subtitles.map(({ stream }) => stream).filter(isTextSubtitle) : [],
  }
}

function copiesOf({ videos, audios, otherAudio }: Choice): AvPlan['copies'] {
  return {
    video: videos.every(({ codec }) => codec === 'copy'),
    audio: otherAudio === undefined && audios.every(({ codec }) => codec === 'copy'),
  }
}
