import { abilities, requireEncoder } from '../../engines/ffmpeg/ffmpeg.ts'
import type { Stream } from '../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../errors.ts'
import { videoCodecFor } from './codecs.ts'
import { knownContainer } from './containers.ts'

/** Video codecs that a conversion can be asked for; `auto` is the usual one of the container. */
export const CODEC_CHOICES = ['auto', 'h264', 'hevc', 'vp9', 'av1'] as const
export type CodecChoice = (typeof CODEC_CHOICES)[number]

/** Constant rate factors of about the same look, each on its encoder's scale. */
export type RateFactors = Readonly<Record<Exclude<CodecChoice, 'auto'>, number>>

const TITLES: Readonly<Record<Exclude<CodecChoice, 'auto'>, string>> = {
  h264: 'H.264',
  hevc: 'HEVC',
  vp9: 'VP9',
  av1: 'AV1',
}

/** Builds before this year have a libaom that takes a minute for two seconds of a tiny video. */
const FAST_AOM_YEAR = 2020

/** The least width and height of SVT, px. */
const SVT_SIDE = 64

/** The first AV1 encoder that the installed ffmpeg has: SVT is several times faster than libaom, which has two passes. */
async function av1Options(
  crf: number,
  { width = SVT_SIDE, height = SVT_SIDE }: Stream,
  forTwoPasses: boolean,
): Promise<string[]> {
  const { encoders, year = FAST_AOM_YEAR } = await abilities()
  const isTiny = Math.min(width, height) < SVT_SIDE
  const isSlow = !encoders.has('libaom-av1') || year < FAST_AOM_YEAR
  if (!isTiny && (isSlow || (encoders.has('libsvtav1') && !forTwoPasses))) {
    await requireEncoder('libsvtav1')
    return ['-c:v', 'libsvtav1', '-crf', String(crf), '-preset', '8', '-pix_fmt', 'yuv420p']
  }
  await requireEncoder('libaom-av1')
  const fast = ['-cpu-used', '6', '-row-mt', '1']
  // ffmpeg 4.0 calls libaom experimental.
  return ['-c:v', 'libaom-av1', '-crf', String(crf), '-b:v', '0', ...fast, '-pix_fmt', 'yuv420p', '-strict', '-2']
}

/**
 * The ffmpeg options that encode video with a codec for a container.
 * @param extension output extension, lower case without dot
 * @param request.stream the video that is encoded
 * @param request.forTwoPasses the encoder is used with a bit rate, in two passes if it has them
 * @throws MediaprocError INVALID_SETTINGS when the container cannot hold the codec, ENCODER_MISSING
 */
export async function chosenCodec(
  choice: CodecChoice,
  extension: string,
  { factors, stream, forTwoPasses = false }: { factors: RateFactors; stream: Stream; forTwoPasses?: boolean },
): Promise<string[]> {
  const usual = videoCodecFor(extension)
  const isVp9 = usual.includes('libvpx-vp9')
  if (choice === 'auto') return videoCodecFor(extension, { quality: isVp9 ? factors.vp9 : factors.h264 })
  const container = knownContainer(extension)
  const holds = (codec: string): boolean => container.video.some((name) => name === '*' || name === codec)
  if (!holds(choice)) {
    const held = CODEC_CHOICES.filter((one) => one !== 'auto' && holds(one))
    throw new MediaprocError('INVALID_SETTINGS', `${extension.toUpperCase()} cannot hold ${TITLES[choice]} video`, {
      hint: `It can hold ${held.map((one) => TITLES[one as keyof RateFactors]).join(', ')}.`,
    })
  }
  const crf = factors[choice]
  if (choice === 'h264') return videoCodecFor(extension === 'avi' ? 'avi' : 'mp4', { quality: crf })
  if (choice === 'vp9') return videoCodecFor('webm', { quality: crf })
  if (choice === 'av1') return av1Options(crf, stream, forTwoPasses)
  await requireEncoder('libx265')
  const options = ['-c:v', 'libx265', '-crf', String(crf), '-preset', 'medium', '-pix_fmt', 'yuv420p']
  // Players of Apple require the tag in MP4 and MOV.
  const tag = container.demuxer === 'mov' ? ['-tag:v', 'hvc1'] : []
  return [...options, '-x265-params', 'log-level=error', ...tag]
}
