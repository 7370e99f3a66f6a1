import { audioStreams, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import { inputArguments } from '../../engines/ffmpeg/input.ts'
import { layoutFilters } from './channels.ts'
import { CROP_TO_EVEN, encoderOf, takesEvenOnly } from './codecs.ts'
import { toneMapped, withColour } from './colour.ts'
import type { Container } from './containers.ts'
import type { Merged } from './merge.ts'
import type { AvSource } from './part.ts'
import { cutOptions, cutsWhileWriting, isUntimed, lengthAfter, seconds } from './range.ts'
import type { Choice } from './streams.ts'

/** Whether all streams of a kind are copied. */
interface Copies {
  video: boolean
  audio: boolean
}

/** The inputs, with what is cut while reading. */
export function readingArguments(
  source: AvSource,
  { cut, inputs }: Merged,
  { videos }: Choice,
  copies: Copies,
): string[] {
  // Audio that is encoded next to copied video must begin where the picture does: at the key frame.
  const fromKeyFrame = cut && videos.length > 0 && copies.video && !copies.audio
  // Packets of AVI and MPEG may lack times, which other containers want of what is copied.
  const lacksTimes = /^(avi|mpeg|mpegts)$/.test(source.info.format) && (copies.video || copies.audio)
  return [
    ...(lacksTimes ? ['-fflags', '+genpts'] : []),
    ...(cut ? cutOptions(cut, source) : []),
    ...(fromKeyFrame ? ['-noaccurate_seek'] : []),
    ...inputArguments(source.path),
    ...inputs.flatMap(({ path, options = [] }) => [...options, ...inputArguments(path)]),
  ]
}

/** Maps, filters and codecs of all videos and covers. */
export function videoArguments(merged: Merged, { videos, covers, videoOptions }: Choice): string[] {
  const encoder = encoderOf(videoOptions, 'v') ?? ''
  const encoded = videos.find(({ codec }) => codec !== 'copy')
  // The reader counts the length from the first frame behind the cut, which may come up to a frame after it.
  const end = merged.cut?.endS === undefined ? [] : [`trim=end=${seconds(merged.cut.endS - merged.cut.startS)}`]
  const toned = encoded ? toneMapped(encoded.stream, encoder) : []
  const chain = [...end, ...toned, ...merged.videoFilters]
  const codecs = [
    ...(encoded ? withColour(encoded.stream, videoOptions) : []),
    ...videos.flatMap(({ codec, bitstreamFilter }, position) => [
      ...(codec === 'copy' ? [`-c:v:${position}`, 'copy'] : []),
      ...(bitstreamFilter ? [`-bsf:v:${position}`, bitstreamFilter] : []),
    ]),
    ...covers.flatMap((_, position) => {
      const output = videos.length + position
      return [`-c:v:${output}`, 'copy', `-disposition:v:${output}`, 'attached_pic']
    }),
  ]
  if (merged.complexFilter && encoded) {
    const before = chain.length > 0 ? `[0:${encoded.stream.index}]${chain.join(',')}[mediaproc_in];` : ''
    const graph = merged.complexFilter(before ? '[mediaproc_in]' : `[0:${encoded.stream.index}]`)
    const after = [...merged.laterVideoFilters, takesEvenOnly(encoder) ? CROP_TO_EVEN : 'null'].join(',')
    return ['-filter_complex', `${before}${graph};[v]${after}[mediaproc_out]`, '-map', '[mediaproc_out]', ...codecs]
  }
  return [
    ...[...videos.map(({ stream }) => stream), ...covers].flatMap(({ index }) => ['-map', `0:${index}`]),
    ...videos.flatMap(({ stream, codec }, position) => {
      // Behind filters the size is not known; the crop then does nothing where it is even.
      const isOdd = merged.videoFilters.length > 0 || (stream.width ?? 1) % 2 === 1 || (stream.height ?? 1) % 2 === 1
      const filters = [...chain, ...(isOdd && takesEvenOnly(encoder) ? [CROP_TO_EVEN] : [])]
      return codec === 'copy' || filters.length === 0 ? [] : [`-filter:v:${position}`, filters.join(',')]
    }),
    ...codecs,
  ]
}

/** Maps, filters and codecs of all audio streams. */
export function audioArguments(source: AvSource, merged: Merged, choice: Choice, copies: Copies): string[] {
  const { audioFilters, cut } = merged
  const isOgg = source.info.format === 'ogg'
  const { videos, audios, audioOptions, otherAudio } = choice
  const filtersOf = (channels: number | undefined) => [...audioFilters, ...layoutFilters(audioOptions, channels)]
  const filterOption = (filters: string[], position: number) =>
    filters.length > 0 ? [`-filter:a:${position}`, filters.join(',')] : []
  if (otherAudio !== undefined)
    return ['-map', `${otherAudio}:a:0`, ...audioOptions, ...filterOption(filtersOf(undefined), 0)]

  // Packets from before the cut would make copied audio begin earlier than an encoded picture; and seeking in Ogg finds
  // pages only, which hold a second of audio; in a film it finds a key frame of the picture, though only sound is kept.
  const landsEarlier = isOgg || videoStream(source.info) !== undefined
  const skipsEarlier = cut !== undefined && (videos.length > 0 ? !copies.video : landsEarlier)
  return [
    ...audios.flatMap(({ stream }) => ['-map', `0:${stream.index}`]),
    ...(copies.audio ? [] : audioOptions),
    ...audios.flatMap(({ stream, codec }, position) =>
      codec === 'copy'
        ? [`-c:a:${position}`, 'copy', ...(skipsEarlier ? [`-copypriorss:a:${position}`, '0'] : [])]
        : filterOption(filtersOf(stream.channels), position),
    ),
  ]
}

/** Maps and codecs of subtitles and attachments. */
export function otherArguments(
  { otherSubtitles }: Merged,
  { subtitles, attachments }: Choice,
  { textSubtitles }: Container,
): string[] {
  const other = otherSubtitles && ['-map', `${otherSubtitles.input}:s:0`, '-c:s', textSubtitles ?? 'copy']
  return [
    ...(other ? [...other, '-metadata:s:s:0', `language=${otherSubtitles.language}`] : []),
    ...subtitles.flatMap(({ stream, codec }, position) => ['-map', `0:${stream.index}`, `-c:s:${position}`, codec]),
    ...attachments.flatMap(({ index }) => ['-map', `0:${index}`]),
    ...(attachments.length > 0 ? ['-c:t', 'copy'] : []),
  ]
}

/**
 * Options of the whole output, without its name.
 * @param hasCopies some video or audio goes through unchanged
 */
export function outputArguments(source: AvSource, merged: Merged, container: Container, hasCopies: boolean): string[] {
  const { cut, retimed, filteredCut } = merged
  const { durationS, chapters } = source.info
  // Chapters follow a cut of the input, but those behind its end stay and would make the file longer.
  const follows = chapters > 0 && !retimed && !filteredCut
  const bounds = cut?.endS !== undefined && (follows || isUntimed(source.info) || cutsWhileWriting(cut, source))
  const whileWriting = cutsWhileWriting(cut, source) ? cut : undefined
  const length = bounds ? lengthAfter(cut, durationS) : undefined
  // Some codecs were experimental in MP4 before ffmpeg 5; they may be copied nonetheless.
  const isDaring =
    container.demuxer === 'mov' && audioStreams(source.info).some(({ codec }) => /^(opus|flac)$/.test(codec))
  return [
    ...['-map_chapters', retimed || filteredCut ? '-1' : '0'],
    ...['-max_muxing_queue_size', '9999'],
    ...(cut && hasCopies ? ['-avoid_negative_ts', 'make_zero'] : []),
    // A little before the key frame, whose time is rounded.
    ...(whileWriting?.startS ? ['-ss', seconds(Math.max(0, whileWriting.startS - 0.001))] : []),
    ...(length ? ['-t', seconds(length)] : []),
    ...(merged.endsWithShortest ? ['-shortest'] : []),
    ...(isDaring ? ['-strict', '-2'] : []),
    ...container.options,
    ...merged.options,
  ]
}
