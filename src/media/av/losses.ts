import { audioStreams } from '../../engines/ffmpeg/ffprobe.ts'
import { counted } from '../../wording.ts'
import { losesAlpha, withoutAlpha } from './alpha.ts'
import { encoderOf } from './codecs.ts'
import { losesDepth, losesHdr } from './colour.ts'
import type { Container } from './containers.ts'
import type { Merged } from './merge.ts'
import type { AvSource } from './part.ts'
import type { Choice } from './streams.ts'

/** The most channels that encoders take, where it is fewer than films have. */
const MOST_CHANNELS: Readonly<Record<string, number>> = { libmp3lame: 2, mp2: 2, libtwolame: 2, wmav2: 2, ac3: 6 }

/** Of a film whose encoder has 8 bits, or whose picture a tool makes so. */
export const HDR_LOST = 'the high dynamic range is brought to the usual one: the codec has 8 bits only'

/** Of music, whatever becomes of it. */
export const COVER_LOST = 'the cover picture is left out'

const left = (count: number, what: string): string => (count === 1 ? `is left out: ${what}` : `are left out: ${what}`)

/**
 * What the output will lack of the source although the tool was not asked to drop it, each as a sentence: streams that the
 * container does not hold, that the tool does not carry, or that cannot follow a cut.
 */
export function lossesOf(
  source: AvSource,
  merged: Merged,
  choice: Choice,
  container: Container,
  extension: string,
): string[] {
  const { streams, chapters } = source.info
  const format = extension.toUpperCase()
  // Who asks for a sound or for pictures asks for nothing else.
  const isPlain = container.video.length === 0 || container.audio.length === 0
  const said: string[] = []
  const videos = streams.filter(({ type, isAttachedPicture }) => type === 'video' && !isAttachedPicture)
  if (choice.videos.length > 0 && videos.length > choice.videos.length)
    said.push(`of ${videos.length} video tracks only the first is kept`)

  const [first] = choice.videos
  if (first?.codec === 'encode' && losesHdr(first.stream, encoderOf(choice.videoOptions, 'v'))) said.push(HDR_LOST)
  if (first?.codec === 'encode' && losesAlpha(first.stream, encoderOf(choice.videoOptions, 'v')))
    said.push(withoutAlpha(format))
  if (first?.codec === 'encode' && losesDepth(first.stream, choice.videoOptions))
    said.push('the picture has more than 8 bits for each colour and is written with 8, which all players show')

  const audios = audioStreams(source.info)
  if (merged.keepAudio && choice.otherAudio === undefined && audios.length > 0) {
    if (container.audio.length === 0) said.push(`the sound is left out: ${format} has none`)
    else if (audios.length > choice.audios.length) said.push(`of ${audios.length} audio tracks only the first is kept`)
    said.push(...mixedDown(choice))
  }

  const subtitles = streams.filter(({ type }) => type === 'subtitle')
  const lost = subtitles.length - choice.subtitles.length
  if (merged.keepSubtitles && !isPlain && lost > 0) {
    const reason = merged.otherSubtitles
      ? 'the new one takes their place'
      : merged.filteredCut || merged.retimed
        ? 'they cannot follow the change of time'
        : `${format} does not hold them`
    said.push(`${counted(lost, 'subtitle track')} ${left(lost, reason)}`)
  }
  if (chapters > 0 && !isPlain) {
    if (merged.retimed || merged.filteredCut)
      said.push(`${counted(chapters, 'chapter')} ${left(chapters, 'they cannot follow the change of time')}`)
    else if (!container.chapters) said.push(`${counted(chapters, 'chapter')} ${left(chapters, `${format} has none`)}`)
  }

  const covers = streams.filter(({ isAttachedPicture }) => isAttachedPicture).length
  // Of a film that becomes sound, the cover goes with the picture; of music it is missed.
  const isMissed = videos.length === 0 || (!isPlain && choice.videos.length > 0)
  if (isMissed && covers > choice.covers.length) said.push(COVER_LOST)
  const attachments = streams.filter(({ type }) => type === 'attachment').length
  if (!isPlain && attachments > choice.attachments.length)
    said.push(`${counted(attachments, 'attached file')} ${left(attachments, `${format} holds none`)}`)
  const data = dataTracks(source)
  if (!isPlain && data > 0)
    said.push(`${counted(data, 'data track')} ${left(data, 'only what is seen or heard is kept')}`)
  return said
}

/** Positions, sensors, advertisements: what is not made anew. MP4 has its chapters in such a track, and its time code. */
function dataTracks({ info }: AvSource): number {
  const tracks = info.streams.filter(({ type, tags }) => type === 'data' && tags.timecode === undefined)
  const isOfChapters = info.chapters > 0 && info.format.startsWith('mov') && tracks.length > 0
  return tracks.length - (isOfChapters ? 1 : 0)
}

/** Surround sound that an encoder makes two channels of, where the tool does not set their number itself. */
function mixedDown({ audios, audioOptions }: Choice): string[] {
  const most = MOST_CHANNELS[encoderOf(audioOptions, 'a') ?? ''] ?? Number.POSITIVE_INFINITY
  const encoded = audios.filter(({ codec }) => codec === 'encode').map(({ stream }) => stream)
  const widest = Math.max(0, ...encoded.map(({ channels = 0 }) => channels))
  return widest > most && !audioOptions.includes('-ac')
    ? [`${widest} channels are mixed down to ${most}: the codec has no more`]
    : []
}
