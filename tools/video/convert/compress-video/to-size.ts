import { mainVideo } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import type { CodecChoice } from '../../../../src/media/av/codec-choice.ts'
import { audioCodecFor, encoderOf } from '../../../../src/media/av/codecs.ts'
import { canHold, knownContainer } from '../../../../src/media/av/containers.ts'
import type { AvPart, AvSource } from '../../../../src/media/av/input/part.ts'
import { coverBytes } from '../../../../src/media/av/labels/cover-tags.ts'
import { isHdr } from '../../../../src/media/av/picture/hdr.ts'
import {
  audioOptions,
  type Budget,
  budgetFor,
  fitsAsCopy,
  heightFor,
  LEAST_VIDEO_KBPS,
  leastBytes,
} from '../../../../src/media/av/target-size/budget.ts'
import { unreachable } from '../../../../src/media/av/target-size/write-to-target.ts'
import type { Change } from '../../../../src/media/av/verify/loss.ts'
import { printableName } from '../../../../src/media/file.ts'
import type { StepContext } from '../../../../src/tool/contract.ts'
import { shownSize } from '../../_shared/square-pixels.ts'

interface Request {
  targetSizeKb: number
  codec: CodecChoice
  /** The maximum height that was asked for, px; undefined if the tool may choose it. */
  limit: number | undefined
  interlace: string
  hdr: string
}

/** What a size requires: the streams as they are, or a height and bit rates. */
export type SizePlan =
  | { isCopy: true }
  | {
      isCopy: false
      limit: number
      target: NonNullable<AvPart['target']>
      audio: string[]
      changes: Change[]
      /** The cover images would take too much of the size. */
      dropsCovers: boolean
    }

/** The part of a size that cover images get at most. */
const COVER_SHARE = 0.1

/**
 * Decides how a video gets a size.
 * @throws MediaprocError TARGET_UNREACHABLE for a size that audio and container alone exceed, INVALID_FILE without a
 * duration
 */
export async function planSize(
  source: AvSource,
  request: Request,
  { warn, signal }: Pick<StepContext, 'warn' | 'signal'>,
): Promise<SizePlan> {
  const { info } = source
  const { durationS } = info
  if (!durationS)
    throw new MediaprocError('INVALID_FILE', `${printableName(source.name)} has no known length to divide the size by`)
  const bytes = Math.floor(request.targetSizeKb * 1000)
  const name = printableName(source.name)
  if (isKept(source, durationS, bytes, request)) {
    warn(`${name} is smaller than ${request.targetSizeKb} kB already: its streams were copied`, 'advice')
    return { isCopy: true }
  }
  const covers = await coverBytes(source, signal)
  const dropsCovers = covers > bytes * COVER_SHARE
  if (dropsCovers)
    warn(`the cover picture of ${name} is left out: it has ${Math.ceil(covers / 1000)} of ${request.targetSizeKb} kB`)
  const kept = dropsCovers ? 0 : covers
  const { width, height } = shownSize(source)
  const size = { width, height, fps: mainVideo(info).frameRate }
  const codec = request.codec === 'auto' ? (isHdr(mainVideo(info)) ? 'hevc' : 'h264') : request.codec
  const heightAt = (kbps: number): number => request.limit ?? heightFor(size, kbps, codec)
  const isEnough = ({ videoKbps }: Budget): boolean =>
    videoKbps >= LEAST_VIDEO_KBPS && heightAt(videoKbps) >= Math.min(height, request.limit ?? height)
  // A source that is smaller and must be encoded stays as small, if its codec is not far better than the new one.
  let aim = Math.min(bytes, info.sizeBytes)
  while (aim < bytes && !isEnough(budgetFor(info, durationS, aim - kept))) aim = Math.min(bytes, 2 * aim)
  const budget = budgetFor(info, durationS, aim - kept)
  if (budget.videoKbps < LEAST_VIDEO_KBPS)
    throw unreachable(
      bytes,
      `its ${Math.round(durationS)} s need ${Math.ceil((leastBytes(info, durationS) + kept) / 1000)} kB`,
    )
  const limit = heightAt(budget.videoKbps)
  if (request.limit === undefined && limit < height)
    warn(
      `${name} has ${Math.round(budget.videoKbps)} kbit/s for video in ${request.targetSizeKb} kB, and was reduced from ${height} to ${limit} lines: set resolution to original to keep them`,
    )
  const audio = audioOptions(info, budget, encoderOf(audioCodecFor('mp4'), 'a') ?? '')
  if (audio.isMixed)
    warn(`surround sound of ${name} is mixed down to stereo: ${request.targetSizeKb} kB are too few for its channels`)
  return {
    isCopy: false,
    limit,
    target: { bytes: aim, mostBytes: bytes, videoKbps: budget.videoKbps },
    audio: audio.options,
    changes: audio.isMixed ? ['channels'] : [],
    dropsCovers,
  }
}

/** Whether the streams can stay as they are. */
function isKept(source: AvSource, durationS: number, bytes: number, request: Request): boolean {
  const { info } = source
  const video = mainVideo(info)
  const container = knownContainer('mp4')
  const isAsked = request.interlace === 'deinterlace' || (request.hdr === 'sdr' && isHdr(video))
  const played = info.streams.filter(({ type, isAttachedPicture }) => /video|audio/.test(type) && !isAttachedPicture)
  return (
    fitsAsCopy(info, durationS, bytes) &&
    !isAsked &&
    (request.codec === 'auto' || request.codec === video.codec) &&
    shownSize(source).height <= (request.limit ?? Number.POSITIVE_INFINITY) &&
    played.every((stream) => canHold(container, stream))
  )
}
