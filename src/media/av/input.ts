import { inputArguments, runFfmpeg } from '../../engines/ffmpeg/ffmpeg.ts'
import { audioStreams, isStillImage, type MediaInfo, probeMedia, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import { clockSeconds } from '../../engines/ffmpeg/progress.ts'
import { type EnvironmentName, environmentNumber } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'
import { extensionOf, type MediaFile, printableName } from '../file.ts'
import { trueExtension } from '../naming.ts'
import type { AvSource } from './graph.ts'
import { saysLength } from './mp3-length.ts'
import { isEstimated, isUntimed } from './range.ts'
import { missingOfWav } from './wav-length.ts'

function refuseAbove(
  name: string,
  what: string,
  value: number | undefined,
  limitName: EnvironmentName & `MAX_${string}`,
  unit: string,
): void {
  const limit = environmentNumber(limitName)
  if (limit > 0 && value !== undefined && value > limit)
    throw new MediaprocError(
      'LIMIT_EXCEEDED',
      `${name} has ${what} of ${Math.round(value)} ${unit}; the limit is ${limit} ${unit}`,
      {
        hint: `Raise the limit with ${limitName}.`,
      },
    )
}

function checkVideo(name: string, info: MediaInfo): void {
  if (!videoStream(info)) throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${name} has no video stream`)
  if (isStillImage(info)) throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${name} is a still picture, not a video`)
  refuseAbove(name, 'a duration', info.durationS, 'MAX_VIDEO_DURATION_S', 's')
  refuseAbove(name, 'a bit rate', info.bitRate && info.bitRate / 1000, 'MAX_VIDEO_BITRATE_KBPS', 'kbit/s')
}

function checkAudio(name: string, info: MediaInfo): void {
  if (audioStreams(info).length === 0) throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${name} has no audio stream`)
  // Whatever was made of it could be opened by nobody.
  if (info.durationS === 0) throw new MediaprocError('INVALID_FILE', `${name} holds no sound: it ends where it begins`)
  refuseAbove(name, 'a duration', info.durationS, 'MAX_AUDIO_DURATION_S', 's')
}

/** A file that goes with a recording and is read by the tool itself: nothing is known of what it holds. */
export function unopened({ path, name, bytes }: MediaFile): AvSource {
  const info: MediaInfo = { format: '', durationS: undefined, sizeBytes: bytes, tags: {}, chapters: 0, streams: [] }
  return { path, name, extension: extensionOf(name), info }
}

/** Whether a file of a format whose length is mostly estimated tells it after all. */
async function isTold({ path }: MediaFile, info: MediaInfo): Promise<boolean> {
  return !isUntimed(info) && info.format === 'mp3' && saysLength(path)
}

/** Length in seconds by reading the whole file without decoding; undefined when even that does not tell. */
async function measureDuration(path: string, signal?: AbortSignal): Promise<number | undefined> {
  const args = [...inputArguments(path), '-map', '0:v?', '-map', '0:a?', '-c', 'copy', '-f', 'null', '-']
  const said = await runFfmpeg(args, { logLevel: 'info', ...(signal && { signal }) })
  return clockSeconds([...said.matchAll(/time=(\d+:\d+:[\d.]+)/g)].at(-1)?.[1] ?? '')
}

/** Less is a few samples of the last block, seconds. */
const LEAST_MISSING_S = 0.01

/** What is said of a recording that was broken off, where ffmpeg would take what is there for all of it. */
async function cutOffWarning({ path, bytes }: MediaFile, { format }: MediaInfo): Promise<string | undefined> {
  const missingS = format === 'wav' ? await missingOfWav(path, bytes) : undefined
  if (missingS === undefined || missingS < LEAST_MISSING_S) return undefined
  return `the file is cut off: the last ${Number(missingS.toFixed(2))} s of its sound are missing`
}

/**
 * A file as the source of an ffmpeg command: probed, and checked to be what the tool takes and within the limits.
 * @param warn is told, as a sentence, what of the file is missing
 * @throws UNSUPPORTED_FILE_TYPE, INVALID_FILE, LIMIT_EXCEEDED, ENGINE_UNAVAILABLE
 */
export async function openAv(
  file: MediaFile,
  kind: 'video' | 'audio',
  signal?: AbortSignal,
  warn?: (sentence: string) => void,
): Promise<AvSource> {
  const probed = await probeMedia(file.path, { ...(signal && { signal }) })
  // Recordings of browsers do not say how long they are, and of others it is only guessed: an MP3 of changing bit rate
  // would be cut, or filled up with silence.
  const tellsLength = !isEstimated(probed) || (await isTold(file, probed))
  const isKnown = probed.durationS !== undefined && tellsLength
  const measured = isKnown ? undefined : await measureDuration(file.path, signal)
  const durationS = measured ?? probed.durationS
  const info = { ...probed, durationS }
  const name = printableName(file.name)
  if (kind === 'video') checkVideo(name, info)
  else checkAudio(name, info)
  const cutOff = await cutOffWarning(file, info)
  if (cutOff) warn?.(cutOff)
  const extension = trueExtension(file, kind === 'video' ? 'mp4' : 'mp3')
  return { path: file.path, name: file.name, extension, info, ...(!tellsLength && { lengthIsGuessed: true }) }
}
