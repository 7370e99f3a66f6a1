import { audioStreams, type Stream, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import { inputArguments } from '../../engines/ffmpeg/input.ts'
import { CROP_TO_EVEN, encoderOf, takesEvenOnly } from './codecs.ts'
import { type Container, isTextSubtitle, subtitleCodec } from './containers.ts'
import { alphaDecoder } from './filters/alpha.ts'
import { FROM_THE_START, layoutFilters, mixdownFilters } from './filters/channels.ts'
import type { AvSource } from './input/part.ts'
import type { CutTexts, Prepared } from './input/prepared.ts'
import { sourceInput } from './input/source-input.ts'
import { chapterInput } from './labels/chapters.ts'
import { coverArguments, tagFileInput } from './labels/cover-tags.ts'
import { fileTags, trackLabels } from './labels/label-arguments.ts'
import type { Merged } from './merge.ts'
import { type Cut, cutOptions, cutsWhileWriting, isAsf, isUntimed, lacksTimes, lengthAfter, seconds } from './range.ts'
import type { Choice } from './streams.ts'

/** Whether all streams of a type are copied. */
interface Copies {
  video: boolean
  audio: boolean
}

/** Input arguments, including any cut applied while reading. */
export function readingArguments(
  source: AvSource,
  merged: Merged,
  { videos, videoOptions }: Choice,
  copies: Copies,
  { texts = [], coverTags, chapters }: Prepared,
): string[] {
  const { cut, inputs, joinedVideo } = merged
  // Audio that is encoded next to copied video must start where the video starts: at the key frame.
  const fromKeyFrame = cut && videos.length > 0 && copies.video && !copies.audio
  const encoded = videos.find(({ codec }) => codec === 'encode')?.stream
  const decoder = encoded ? alphaDecoder(encoded, encoderOf(videoOptions, 'v')) : []
  const itself = (from: Cut | undefined): string[] => [
    ...(lacksTimes(source) && (copies.video || copies.audio) ? ['-fflags', '+genpts'] : []),
    ...(from ? cutOptions(from, source) : []),
    ...(fromKeyFrame ? ['-noaccurate_seek'] : []),
    ...decoder,
    ...sourceInput(source),
  ]
  return [
    ...(joinedVideo === undefined
      ? itself(cut && { ...cut, startS: cut.pictureS ?? cut.startS })
      : inputArguments(joinedVideo)),
    ...inputs.flatMap(({ path, options = [] }) => [...options, ...inputArguments(path)]),
    // Without an offset, ffmpeg would count times of a transport stream from the start of the streams in use.
    ...(isShifted(source, merged) ? ['-itsoffset', seconds(-Math.max(cut?.startS ?? 0, 1e-6))] : []),
    ...(isReadTwice(merged) ? itself(cut) : []),
    ...texts.flatMap(({ path }) => inputArguments(path)),
    ...(coverTags === undefined ? [] : tagFileInput(coverTags)),
    ...(chapters === undefined ? [] : chapterInput(chapters)),
  ]
}

/** Whether the start of the cut becomes 0 while reading next to a video of its own; packets before it are left out. */
const isShifted = (source: AvSource, { cut, joinedVideo }: Merged): boolean =>
  joinedVideo !== undefined && cutsWhileWriting(cut, source)

/** Whether the video comes from another input than everything else. */
const isReadTwice = ({ cut, joinedVideo }: Merged): boolean => cut?.pictureS !== undefined || joinedVideo !== undefined

/** Index of the first input that was prepared: a text, or the file with the cover tags. */
const firstPrepared = (merged: Merged): number => merged.inputs.length + (restOf(merged) > 0 ? 2 : 1)

/** Index of the input for everything except the video: the source again when the video starts with an earlier frame. */
const restOf = (merged: Merged): number => (isReadTwice(merged) ? merged.inputs.length + 1 : 0)

/** Maps, filters, codecs and labels of all video streams and cover images. */
export function videoArguments(
  source: AvSource,
  merged: Merged,
  { videos, covers, otherCover, videoOptions, picture }: Choice,
  container: Container,
): string[] {
  const encoder = encoderOf(videoOptions, 'v') ?? ''
  const encoded = videos.find(({ codec }) => codec !== 'copy')
  // ffmpeg counts the duration from the first frame after the cut, which may be up to one frame later.
  const { startS = 0, endS, pictureS = startS } = merged.cut ?? {}
  const end = endS === undefined ? [] : [`trim=end=${seconds(endS - startS)}`]
  const held = pictureS < startS ? [`setpts=max(PTS-${seconds(startS - pictureS)}/TB\\,0)`] : []
  const { before = [], filters: own = [], after = [] } = picture ?? {}
  // Deinterlaced first: everything after it must see whole frames.
  const chain = [...before, ...held, ...end, ...own, ...after]
  const codecs = [
    ...(encoded ? videoOptions : []),
    ...videos.flatMap(({ codec, bitstreamFilter }, position) => [
      ...(codec === 'copy' ? [`-c:v:${position}`, 'copy'] : []),
      ...(bitstreamFilter ? [`-bsf:v:${position}`, bitstreamFilter] : []),
    ]),
    ...videos.flatMap(({ stream }, position) =>
      trackLabels(stream, `s:v:${position}`, { container, info: source.info }),
    ),
    ...covers.flatMap(({ codec }, position) => {
      const output = videos.length + position
      return [`-c:v:${output}`, codec === 'copy' ? 'copy' : 'png', `-disposition:v:${output}`, 'attached_pic']
    }),
  ]
  if (merged.complexFilter && encoded) {
    const prefix = chain.length > 0 ? `[0:${encoded.stream.index}]${chain.join(',')}[mediaproc_in];` : ''
    const graph = merged.complexFilter(prefix ? '[mediaproc_in]' : `[0:${encoded.stream.index}]`)
    const after = [...merged.laterVideoFilters, takesEvenOnly(encoder) ? CROP_TO_EVEN : 'null'].join(',')
    return ['-filter_complex', `${prefix}${graph};[v]${after}[mediaproc_out]`, '-map', '[mediaproc_out]', ...codecs]
  }
  return [
    ...videos.flatMap(({ stream }) => ['-map', merged.joinedVideo === undefined ? `0:${stream.index}` : '0:0']),
    ...covers.flatMap(({ stream }) => [
      '-map',
      `${merged.joinedVideo === undefined ? 0 : restOf(merged)}:${stream.index}`,
    ]),
    ...(otherCover === undefined ? [] : coverArguments(`${otherCover}:v:0`, videos.length)),
    ...videos.flatMap(({ stream, codec }, position) => {
      // The size after filters is unknown; the crop does nothing when it is already even.
      const isOdd = merged.videoFilters.length > 0 || (stream.width ?? 1) % 2 === 1 || (stream.height ?? 1) % 2 === 1
      const filters = [...chain, ...(isOdd && takesEvenOnly(encoder) ? [CROP_TO_EVEN] : [])]
      return codec === 'copy' || filters.length === 0 ? [] : [`-filter:v:${position}`, filters.join(',')]
    }),
    ...codecs,
  ]
}

/** Maps, filters, codecs and labels of all audio streams. */
export function audioArguments(
  source: AvSource,
  merged: Merged,
  choice: Choice,
  copies: Copies,
  container: Container,
): string[] {
  const { audioFilters, cut } = merged
  const isOgg = source.info.format === 'ogg'
  const { videos, audios, audioOptions, otherAudio } = choice
  // AVI stores no start time for audio: a stream that starts later than the video is padded with silence.
  const filled = videos.length > 0 && container.muxer === 'avi' ? [FROM_THE_START] : []
  // ffmpeg counts the duration from the first audio sample after the cut, which may be much later.
  const endS = cutsWhileWriting(cut, source) ? undefined : cut?.endS
  const end = endS === undefined ? [] : [`atrim=end=${seconds(endS - (cut?.startS ?? 0))}`]
  const filtersOf = (channels: number | undefined) => [
    ...[...filled, ...(otherAudio === undefined ? end : [])],
    // Gain is applied after the downmix, because that is where the level was measured.
    ...(merged.changes.has('level') ? mixdownFilters(audioOptions, channels) : []),
    ...[...audioFilters, ...layoutFilters(audioOptions, channels)],
  ]
  const filterOption = (filters: string[], position: number) =>
    filters.length > 0 ? [`-filter:a:${position}`, filters.join(',')] : []
  if (otherAudio !== undefined)
    return ['-map', `${otherAudio}:a:0`, ...audioOptions, ...filterOption(filtersOf(undefined), 0)]

  // Packets from before the cut would make copied audio start earlier than encoded video. In addition, seeking in Ogg
  // only finds pages, which hold a second of audio, and in a video it finds a video key frame even if only audio is
  // kept; in ASF it finds a group of packets.
  const landsEarlier = isOgg || isAsf(source.info) || videoStream(source.info) !== undefined
  const isExact = !copies.video || merged.joinedVideo !== undefined
  const skipsEarlier = cut !== undefined && (videos.length > 0 ? isExact || isOgg : landsEarlier)
  return [
    ...audios.flatMap(({ stream }) => ['-map', `${restOf(merged)}:${stream.index}`]),
    ...(copies.audio ? [] : audioOptions),
    ...audios.flatMap(({ stream, codec }, position) =>
      codec === 'copy'
        ? [`-c:a:${position}`, 'copy', ...(skipsEarlier ? [`-copypriorss:a:${position}`, '0'] : [])]
        : filterOption(filtersOf(stream.channels), position),
    ),
    ...(merged.tags === 'strip' ? [] : audios).flatMap(({ stream }, position) =>
      trackLabels(stream, `s:a:${position}`, { container, info: source.info }),
    ),
  ]
}

/** Where a subtitle stream is read from: the source, or the file that contains its cut text. */
function shownAs(
  stream: Stream,
  codec: string,
  merged: Merged,
  container: Container,
  texts?: CutTexts,
): { stream: Stream; map: string; codec: string; text?: Stream } | undefined {
  const rest = restOf(merged)
  if (!texts || !isTextSubtitle(stream)) return { stream, map: `${rest}:${stream.index}`, codec }
  const number = texts.findIndex(({ index }) => index === stream.index)
  if (number < 0) return undefined
  const text = { ...stream, codec: texts[number]!.codec }
  return { stream, map: `${firstPrepared(merged) + number}:s:0`, codec: subtitleCodec(container, text) ?? codec, text }
}

/** Stream properties that the text file replacing it does not carry. */
function tagsOfText({ language, title }: Stream, position: number): string[] {
  return [
    ...(language ? [`-metadata:s:s:${position}`, `language=${language}`] : []),
    ...(title ? [`-metadata:s:s:${position}`, `title=${title}`] : []),
  ]
}

/** Roles of subtitles that every ffmpeg since 2018 can write. */
const SUBTITLE_ROLES = new Set(['original', 'dub', 'comment', 'lyrics', 'hearing_impaired', 'visual_impaired'])

/** Left to itself, ffmpeg makes the first subtitles the default ones if none are, so that players show them. */
function subtitleRoles({ isDefault, isForced, roles = [] }: Stream, position: number): string[] {
  const names = [isDefault && 'default', isForced && 'forced', ...roles.filter((role) => SUBTITLE_ROLES.has(role))]
  return [`-disposition:s:${position}`, names.filter(Boolean).join('+') || '0']
}

/** Maps, codecs and labels of subtitles and attachments. */
export function otherArguments(
  { info }: AvSource,
  merged: Merged,
  { subtitles, attachments }: Choice,
  container: Container,
  texts?: CutTexts,
): string[] {
  const { otherSubtitles, cut } = merged
  const codecOfOther = otherSubtitles?.codec ?? container.textSubtitles ?? 'copy'
  const other = otherSubtitles && ['-map', `${otherSubtitles.input}:s:0`, '-c:s', codecOfOther]
  const shown = subtitles
    .map(({ stream, codec }) => shownAs(stream, codec, merged, container, texts))
    .filter((one) => one !== undefined)
  return [
    ...(other ? [...other, '-metadata:s:s:0', `language=${otherSubtitles.language}`] : []),
    ...shown.flatMap(({ stream, map, codec, text }, position) => [
      ...['-map', map, `-c:s:${position}`, codec],
      // Cues from before the cut would make the clip start earlier.
      ...(cut && !text ? [`-copypriorss:s:${position}`, '0'] : []),
      ...(text ? tagsOfText(text, position) : []),
      ...subtitleRoles(stream, position),
      ...trackLabels(stream, `s:s:${position}`, { container, info }),
    ]),
    ...attachments.flatMap(({ index }) => [
      '-map',
      `${merged.joinedVideo === undefined ? 0 : restOf(merged)}:${index}`,
    ]),
    ...(attachments.length > 0 ? ['-c:t', 'copy'] : []),
  ]
}

/** Tags that describe the stored video and not its content. */
const STORED = /^(duration|rotate|encoder|bps|number_of_|_statistics)/

/** The tags of the source and of its video, which comes from another file. */
function joinedTags({ info }: AvSource, rest: number): string[] {
  const tags = Object.entries(videoStream(info)?.tags ?? {}).filter(([name]) => !STORED.test(name))
  const ofVideo = tags.flatMap(([name, value]) => ['-metadata:s:v:0', `${name}=${value}`])
  return ['-map_metadata', String(rest), ...ofVideo]
}

/**
 * Options for the whole output, without its file name.
 * @param hasCopies some video or audio is copied unchanged
 */
export function outputArguments(
  source: AvSource,
  merged: Merged,
  container: Container,
  hasCopies: boolean,
  { texts = [], coverTags, chapters: written }: Prepared = {},
): string[] {
  const { cut, retimed, filteredCut } = merged
  const { durationS, chapters } = source.info
  // Chapters follow a cut of the input, but those after its end are kept and would make the file longer.
  const isStripped = merged.tags === 'strip'
  const follows = !written && chapters > 0 && !retimed && !filteredCut && !isStripped
  const bounds = cut?.endS !== undefined && (follows || isUntimed(source.info) || cutsWhileWriting(cut, source))
  const whileWriting = cutsWhileWriting(cut, source) ? cut : undefined
  const length = bounds ? lengthAfter(cut, durationS) : undefined
  const afterTexts = firstPrepared(merged) + texts.length
  const isLost = retimed || filteredCut || isStripped
  const mapped = written ? afterTexts + (coverTags ? 1 : 0) : isLost ? -1 : restOf(merged)
  // Some codecs were experimental in MP4 before ffmpeg 5; they may still be copied.
  const isDaring =
    container.demuxer === 'mov' && audioStreams(source.info).some(({ codec }) => /^(opus|flac)$/.test(codec))
  return [
    ...fileTags(source.info, merged, container),
    ...(merged.joinedVideo === undefined || isStripped ? [] : joinedTags(source, restOf(merged))),
    ...(coverTags === undefined
      ? []
      : [...(isStripped ? [] : ['-map_metadata', '0']), ...['-map_metadata', String(afterTexts)]]),
    ...['-map_chapters', String(mapped)],
    ...['-max_muxing_queue_size', '9999'],
    // When the output starts at 0, content that an edit list hides before it stays hidden.
    ...(cut && cut.startS > 0 && hasCopies && merged.joinedVideo === undefined
      ? ['-avoid_negative_ts', 'make_zero']
      : []),
    // Slightly before the key frame, because its timestamp is rounded.
    ...(whileWriting?.startS && !isShifted(source, merged)
      ? ['-ss', seconds(Math.max(0, whileWriting.startS - 0.001))]
      : []),
    ...(length ? ['-t', seconds(length)] : []),
    ...(merged.endsWithShortest ? ['-shortest'] : []),
    ...(isDaring ? ['-strict', '-2'] : []),
    ...container.options,
    ...merged.options,
  ]
}
