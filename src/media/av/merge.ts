import { type Chapter, mainVideo, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import type { FrameProgress } from '../../engines/ffmpeg/progress.ts'
import { MediaprocError } from '../../errors.ts'
import type { AvPart, AvSource } from './input/part.ts'
import { WHOLE_PICTURE } from './labels/cover-tags.ts'
import type { Tracks } from './labels/track-choice.ts'
import type { PictureChoice } from './picture/request.ts'
import { type Cut, cutAgain, cutFilters, cutOf, lengthAfter, seconds, seeksExactly } from './range.ts'
import type { Change } from './verify/loss.ts'

/** All parts of a run, merged. */
export interface Merged {
  /** The cut applied while reading. */
  cut: Cut | undefined
  /** The time of the source that is kept, if it is known. */
  span: Cut | undefined
  /** A cut is applied by filters, which subtitles and copied streams cannot pass through. */
  filteredCut: boolean
  /** The file with the video of the cut. */
  joinedVideo: string | undefined
  keepVideo: boolean
  keepAudio: boolean
  keepSubtitles: boolean
  tracks: Tracks
  singleVideo: boolean
  singleAudio: boolean
  /** Video filters, before and after the complex one. */
  videoFilters: string[]
  complexFilter: ((videoIn: string) => string) | undefined
  laterVideoFilters: string[]
  /** The complex filter mixes no rows of the video. */
  keepsRows: boolean
  picture: PictureChoice
  audioFilters: string[]
  /** Input files besides the source; the first has index 1 in the command. */
  inputs: { path: string; options?: readonly string[] }[]
  /** Index of the input whose audio replaces the source's. */
  otherAudio: number | undefined
  /** Index of the input whose subtitles replace the source's, and their language. */
  otherSubtitles: { input: number; language: string; codec?: string; cues?: number } | undefined
  /** `drop`, or the file that replaces the covers, with the index of its input. */
  cover: 'drop' | { path: string; input: number } | undefined
  tags: NonNullable<AvPart['tags']>
  /** The output ends with its shortest stream: the replacement audio is followed by endless silence. */
  endsWithShortest: boolean
  videoOptions: string[] | undefined
  audioOptions: string[] | undefined
  container: string | undefined
  options: string[]
  /** Intentional changes made by the parts. */
  changes: ReadonlySet<Change>
  /** A part changes the duration in another way than by a cut. */
  retimed: boolean
  /** Where a time of the source is in the result, seconds; undefined if chapters cannot follow. */
  mapTime: ((timeS: number) => number) | undefined
  /** Chapters given by a part. */
  chapters: readonly Chapter[] | undefined
  /** How progress counts frames. */
  frames: FrameProgress | undefined
  /** Expected duration of the output, seconds. */
  durationS: number | undefined
}

/** Merges the parts of a run, in order. */
export function mergeParts(source: AvSource, parts: readonly AvPart[]): Merged {
  const merged: Merged = {
    ...{ cut: undefined, span: undefined, filteredCut: false, retimed: false, durationS: source.info.durationS },
    ...{ keepVideo: true, keepAudio: true, keepSubtitles: true, singleVideo: false, singleAudio: false },
    ...{ videoFilters: [], complexFilter: undefined, laterVideoFilters: [], audioFilters: [] },
    ...{ keepsRows: true, picture: {}, joinedVideo: parts.find((part) => part.joinedVideo)?.joinedVideo },
    ...{ inputs: [], otherAudio: undefined, otherSubtitles: undefined, endsWithShortest: false },
    ...{ cover: undefined, tags: {}, mapTime: (timeS) => timeS, chapters: undefined, tracks: {} },
    changes: new Set(parts.flatMap(({ changes = [], tags }) => (tags === 'strip' ? ['tags', ...changes] : changes))),
    frames: parts.findLast(({ frames }) => frames)?.frames,
    ...{ videoOptions: undefined, audioOptions: undefined, container: undefined, options: [] },
  }
  for (const part of parts) addPart(merged, part, source)
  return merged
}

/**
 * Whether the run already contains a filter or another file's audio, so that a cut can no longer be applied while
 * reading.
 */
export function isShaped(merged: Merged): boolean {
  const { videoFilters, complexFilter, audioFilters, otherAudio } = merged
  return videoFilters.length + audioFilters.length > 0 || complexFilter !== undefined || otherAudio !== undefined
}

function addPart(merged: Merged, part: AvPart, source: AvSource): void {
  const cut = cutOf(part.range, merged.durationS)
  if (cut) addCut(merged, cut, source)
  if (part.video === 'drop') merged.keepVideo = false
  if (part.subtitles === 'drop') merged.keepSubtitles = false
  else if (typeof part.subtitles === 'object') {
    const { path, ...track } = part.subtitles
    merged.otherSubtitles = { input: merged.inputs.push({ path }), ...track }
  }
  merged.tracks = { ...merged.tracks, ...part.tracks }
  if (part.cover === 'drop') merged.cover = 'drop'
  else if (typeof part.cover === 'object') {
    const { path } = part.cover
    merged.cover = { path, input: merged.inputs.push({ path, options: WHOLE_PICTURE }) }
  }
  if (part.tags)
    merged.tags = part.tags === 'strip' || merged.tags === 'strip' ? part.tags : { ...merged.tags, ...part.tags }
  if (part.audio === 'drop') merged.keepAudio = false
  else if (typeof part.audio === 'object') replaceAudio(merged, part.audio, source)
  videoChain(merged).push(...(part.videoFilters ?? []))
  merged.audioFilters.push(...(part.audioFilters ?? []))
  if (part.complexFilter) {
    if (merged.complexFilter) throw new MediaprocError('INTERNAL', 'Two filter graphs cannot be in one command')
    const { complexFilter, inputs = [] } = part
    const first = merged.inputs.push(...inputs) - inputs.length + 1
    const numbers = inputs.map((_, index) => first + index)
    merged.complexFilter = (videoIn) => complexFilter(videoIn, numbers)
  }
  if (part.complexFilter && !part.keepsRows) merged.keepsRows = false
  merged.picture = { ...merged.picture, ...decided(part.picture) }
  merged.singleVideo ||= part.singleVideo === true || part.complexFilter !== undefined
  merged.singleAudio ||= part.singleAudio === true
  if (part.encode) {
    merged.videoOptions = part.encode.video ?? merged.videoOptions
    merged.audioOptions = part.encode.audio ?? merged.audioOptions
    merged.container = part.encode.container ?? merged.container
    merged.options.push(...(part.encode.options ?? []))
  }
  if (part.chapters) merged.chapters = part.chapters
  if (part.changesDuration) {
    merged.retimed = true
    merged.mapTime = part.mapsTime && composed(merged.mapTime, part.mapsTime)
    merged.durationS = merged.durationS === undefined ? undefined : part.changesDuration(merged.durationS)
  }
}

/** After an explicit choice, `auto` leaves the video as it is. */
function decided({ interlace = 'auto', hdr = 'auto' }: PictureChoice = {}): PictureChoice {
  return { ...(interlace !== 'auto' && { interlace }), ...(hdr !== 'auto' && { hdr }) }
}

/** Whether the choices of a further part can be made together with those of the parts before it, at the first decode. */
export function agrees({ picture }: Merged, next: PictureChoice | undefined): boolean {
  return (
    next === undefined ||
    (['interlace', 'hdr'] as const).every((name) => {
      const [before = 'auto', after = 'auto'] = [picture[name], next[name]]
      return before === after || (after === 'auto' && before !== 'keep')
    })
  )
}

type TimeMap = (timeS: number) => number

const composed = (first: TimeMap | undefined, next: TimeMap): TimeMap | undefined =>
  first && ((timeS) => next(first(timeS)))

function videoChain(merged: Merged): string[] {
  return merged.complexFilter ? merged.laterVideoFilters : merged.videoFilters
}

function addCut(merged: Merged, cut: Cut, source: AvSource): void {
  merged.durationS = lengthAfter(cut, merged.durationS)
  merged.mapTime = composed(merged.mapTime, (timeS) => timeS - cut.startS)
  // Filters can lengthen the audio before a further cut.
  if (!merged.retimed && merged.audioFilters.length === 0) merged.span = cutAgain(merged.span, cut)
  // If the video starts after the cut, seeking goes to the video's start and the audio before it would be missing.
  const isBefore = cut.startS > 0 && cut.startS < (videoStream(source.info)?.startS ?? 0)
  if (!isShaped(merged) && (!cut.exact || (seeksExactly(source) && !isBefore))) {
    merged.cut = cutAgain(merged.cut, cut)
    return
  }
  const filters = cutFilters(cut, videoStream(source.info)?.frameRate)
  videoChain(merged).push(...filters.video)
  merged.audioFilters.push(...filters.audio)
  merged.filteredCut = true
}

function replaceAudio(merged: Merged, audio: { path: string; padToVideo: boolean }, source: AvSource): void {
  merged.keepAudio = true
  merged.otherAudio = merged.inputs.push({ path: audio.path })
  if (!videoStream(source.info)) {
    merged.audioFilters = []
    return
  }
  // Filters for the old audio do not apply to the new one.
  const untouched = !merged.cut && !merged.filteredCut && !merged.retimed
  const { durationS, startS = 0 } = mainVideo(source.info)
  const videoS = (untouched && durationS && startS + durationS) || merged.durationS
  if (videoS === undefined) {
    merged.audioFilters = ['apad']
    merged.endsWithShortest = true
    return
  }
  merged.durationS = videoS
  merged.audioFilters = [...(audio.padToVideo ? ['apad'] : []), `atrim=end=${seconds(videoS)}`]
}
