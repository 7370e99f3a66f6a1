import type { MediaInfo } from '../../../engines/ffmpeg/ffprobe.ts'
import { isReadableCover } from '../labels/cover-tags.ts'
import { labelLosses } from './labels.ts'
import { type Loss, type StreamKind, streamsOf } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'
import { pictureLosses } from './picture.ts'
import { soundLosses } from './sound.ts'
import { tagLosses, timecodeOf } from './tags.ts'

const PLAYED: readonly StreamKind[] = ['video', 'audio']
const OTHERS: readonly StreamKind[] = ['cover', 'attachment', 'data']

/**
 * Losses: data of the source that the output lacks or has in another form, although the tool was not asked for that.
 */
export function lossesOf(plan: OutputPlan, output: MediaInfo): Loss[] {
  return [
    ...pictureLosses(plan, output),
    ...PLAYED.flatMap((kind) => streamLoss(kind, plan, output)),
    ...soundLosses(plan, output),
    ...streamLoss('subtitle', plan, output),
    ...chapterLosses(plan, output),
    ...OTHERS.flatMap((kind) => streamLoss(kind, plan, output)),
    ...(plan.changes.has('tags') ? [] : [...labelLosses(plan, output), ...tagLosses(plan, output)]),
    ...timecodeLoss(plan, output),
  ]
}

/** The number of streams of a type that a user can see, hear or use. */
function countOf(info: MediaInfo, kind: StreamKind): number {
  const streams = streamsOf(info, kind)
  if (kind !== 'data') return streams.length
  // MOV tracks that hold timecode and chapters are reported as timecode and chapters.
  const tracks = streams.filter(({ tags }) => tags.timecode === undefined)
  return tracks.length - (info.chapters > 0 && info.format.startsWith('mov') && tracks.length > 0 ? 1 : 0)
}

function streamLoss(of: StreamKind, plan: OutputPlan, output: MediaInfo): Loss[] {
  if (of === 'cover' && plan.added.cover > 0)
    return countOf(output, of) > 0 ? [] : [{ kind: 'streams', of, from: 1, to: 0, reason: 'container' }]
  if (plan.dropped.has(of)) return []
  const { source, container, isRetimed } = plan
  const from = countOf(source.info, of)
  const added = of === 'audio' || of === 'subtitle' ? plan.added[of] : 0
  // Replacing the audio was requested.
  if (of === 'audio' && added > 0 && from <= 1) return []
  // Subtitles without any cue inside the cut are not written.
  const unseen = of === 'subtitle' && plan.isCut && !isRetimed && container.textSubtitles ? unseenTexts(plan) : 0
  const to = Math.max(0, countOf(output, of) - added) + unseen
  if (to >= from) return []
  const cannotFollow = of === 'subtitle' && isRetimed
  const isDamaged = of === 'cover' && !streamsOf(source.info, of).some(isReadableCover)
  const reason = isDamaged ? 'damaged' : added > 0 ? 'replaced' : cannotFollow ? 'time' : 'container'
  return [{ kind: 'streams', of, from, to, reason }]
}

const unseenTexts = ({ source, kept, added }: OutputPlan): number =>
  added.subtitle > 0 ? 0 : streamsOf(source.info, 'subtitle').length - kept.subtitle.length

function chapterLosses({ source, dropped, losesChapters, isCut, changes }: OutputPlan, output: MediaInfo): Loss[] {
  const { chapters: from, chapterList } = source.info
  if (from === 0 || dropped.has('chapters')) return []
  const to = output.chapters
  // Chapters outside the cut are removed with it.
  if (to === 0 || (to < from && !isCut))
    return [{ kind: 'chapters', from, to, reason: losesChapters ? 'time' : 'container' }]
  const titled = chapterList?.filter(({ title }) => title !== undefined).length ?? 0
  const left = output.chapterList?.filter(({ title }) => title !== undefined).length ?? 0
  if (titled === 0 || left > 0 || changes.has('tags')) return []
  return [{ kind: 'chapterTitles', from: titled, to: 0, reason: 'container' }]
}

function timecodeLoss({ source, kept, changes, isJoined }: OutputPlan, output: MediaInfo): Loss[] {
  const from = timecodeOf(source.info)
  // The tags of joined files are dropped because they do not apply to the whole, not because that was requested.
  const isAsked = (changes.has('tags') && !isJoined) || changes.has('pixels')
  if (from === undefined || kept.video.length === 0 || isAsked) return []
  const reason = isJoined ? 'joined' : 'container'
  return timecodeOf(output) === undefined ? [{ kind: 'timecode', from, reason }] : []
}
