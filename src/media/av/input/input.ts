import { audioStreams, isStillImage, type MediaInfo, probeMedia, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import { type EnvironmentName, environmentNumber } from '../../../environment.ts'
import { MediaprocError } from '../../../errors.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import { extensionOf, type MediaFile, printableName } from '../../file.ts'
import { trueExtension } from '../../naming.ts'
import type { AvSource } from '../filters/graph.ts'
import { isFarBeyond, packetLength, seemsOverstated, withLength } from '../measure/claimed-length.ts'
import { measureDuration } from '../measure/duration.ts'
import { readPlain } from '../plain.ts'
import { isEstimated, isUntimed } from '../range.ts'
import { cutOffWarning } from './cut-off.ts'
import { saysLength } from './mp3-length.ts'

function refuseAbove(
  name: string,
  what: string,
  value: number | undefined,
  limitName: EnvironmentName & `MAX_${string}`,
  unit: string,
): void {
  const limit = environmentNumber(limitName)
  if (limit > 0 && value !== undefined && value > limit)
    throw limitExceeded(`${name} has ${what} of ${Math.round(value)} ${unit}; the limit is ${limit} ${unit}`, {
      variable: limitName,
    })
}

function checkVideo(name: string, info: MediaInfo): void {
  if (!videoStream(info)) throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${name} has no video stream`)
  if (isStillImage(info)) throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${name} is a still picture, not a video`)
  refuseAbove(name, 'a duration', info.durationS, 'MAX_VIDEO_DURATION_S', 's')
  refuseAbove(name, 'a bit rate', info.bitRate && info.bitRate / 1000, 'MAX_VIDEO_BITRATE_KBPS', 'kbit/s')
}

function checkAudio(name: string, info: MediaInfo): void {
  if (audioStreams(info).length === 0) throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${name} has no audio stream`)
  // No player could open an output made from it.
  if (info.durationS === 0) throw new MediaprocError('INVALID_FILE', `${name} contains no audio: its duration is 0`)
  refuseAbove(name, 'a duration', info.durationS, 'MAX_AUDIO_DURATION_S', 's')
}

/** A companion file of a media file, read by the tool itself and not probed. */
export function unopened({ path, name, bytes }: MediaFile): AvSource {
  const info: MediaInfo = { format: '', durationS: undefined, sizeBytes: bytes, tags: {}, chapters: 0, streams: [] }
  return { path, name, extension: extensionOf(name), info }
}

/** Whether the file states its duration, although its format mostly requires an estimate. */
async function isReported({ path }: MediaFile, info: MediaInfo): Promise<boolean> {
  return !isUntimed(info) && info.format === 'mp3' && saysLength(path)
}

/** Subtitles may be displayed after the end of the video, which is not a defect of the file. */
function overstatedWarning(
  { durationS: claimedS, streams }: MediaInfo,
  foundS: number | undefined,
): string | undefined {
  if (claimedS === undefined || foundS === undefined || !isFarBeyond(claimedS, foundS)) return undefined
  if (streams.some(({ type }) => type === 'subtitle')) return undefined
  return `the file claims a length of ${Number(claimedS.toFixed(2))} s and ends at ${Number(foundS.toFixed(2))} s`
}

/**
 * Opens a file as the source of an ffmpeg command: probes it and checks that the tool accepts it and that it is within
 * the limits.
 * @param warn receives a sentence about missing data in the file
 * @throws UNSUPPORTED_FILE_TYPE, INVALID_FILE, LIMIT_EXCEEDED, ENGINE_UNAVAILABLE
 */
export async function openAv(
  file: MediaFile,
  kind: 'video' | 'audio',
  signal?: AbortSignal,
  warn?: (sentence: string) => void,
): Promise<AvSource> {
  const probed = readPlain(file.path) ?? (await probeMedia(file.path, { ...(signal && { signal }) }))
  // Files recorded by browsers do not state their duration, and for others it is only estimated: a VBR MP3 would be cut
  // short or padded with silence.
  const statesLength = !isEstimated(probed) || (await isReported(file, probed))
  // The output must not be padded to a duration that the file only claims.
  const isKnown = probed.durationS !== undefined && statesLength && !seemsOverstated(probed)
  const measure = statesLength
    ? () => packetLength(file.path, probed, signal)
    : () => measureDuration(file.path, signal)
  const measured = isKnown ? undefined : await measure()
  const durationS = measured ?? probed.durationS
  const info = withLength(probed, durationS)
  const name = printableName(file.name)
  const overstated = statesLength ? overstatedWarning(probed, measured) : undefined
  if (overstated) warn?.(overstated)
  if (kind === 'video') checkVideo(name, info)
  else checkAudio(name, info)
  const cutOff = await cutOffWarning(file.path, file.bytes, info.format)
  if (cutOff) warn?.(cutOff)
  const extension = trueExtension(file, kind === 'video' ? 'mp4' : 'mp3')
  return { path: file.path, name: file.name, extension, info, ...(!statesLength && { lengthIsGuessed: true }) }
}
