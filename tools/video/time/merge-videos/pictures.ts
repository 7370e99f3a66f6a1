import { isDeepStrictEqual } from 'node:util'
import { mainVideo } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { firstOf } from '../../../../src/lists.ts'
import { videoCodecFor } from '../../../../src/media/av/codecs.ts'
import { knownContainer } from '../../../../src/media/av/containers.ts'
import type { AvSource } from '../../../../src/media/av/input/part.ts'
import { isHdr } from '../../../../src/media/av/picture/hdr.ts'
import { planPicture } from '../../../../src/media/av/picture/plan.ts'
import type { PictureChoice, PictureFacts } from '../../../../src/media/av/picture/request.ts'
import { preparePicture } from '../../../../src/media/av/picture/study.ts'
import { printableName } from '../../../../src/media/file.ts'
import type { ProduceContext } from '../../../../src/tool/job.ts'
import { FITTED_COLOUR } from '../../_shared/fit.ts'

/** How one clip is brought into the common form. */
export interface JoinedPicture {
  /** Filters that deinterlace and tone-map it. */
  before: readonly string[]
  isHdr: boolean
  picture: PictureFacts
}

/**
 * The common dynamic range of clips, and the options of the encoder: HDR only if all clips have it with the same transfer
 * function, SDR otherwise.
 * @throws MediaprocError INVALID_SETTINGS when HDR or fields are to be kept, and cannot be
 */
export async function joinedPictures(
  sources: readonly AvSource[],
  choice: PictureChoice,
  { signal, warn }: Pick<ProduceContext, 'signal' | 'warn'>,
): Promise<{ clips: JoinedPicture[]; options: string[] }> {
  const streams = sources.map(({ info }) => mainVideo(info))
  const transfers = new Set(streams.map((stream) => (isHdr(stream) ? stream.colour.transfer : undefined)))
  const [transfer] = transfers
  const isKept = choice.hdr !== 'sdr' && transfers.size === 1 && transfer !== undefined
  if (choice.hdr === 'keep' && !isKept && streams.some(isHdr))
    throw new MediaprocError('INVALID_SETTINGS', 'HDR cannot be kept: not all videos have it in the same form', {
      hint: 'Leave hdr at auto to convert them to SDR.',
    })
  const request = {
    ...{ choice: isKept ? choice : { ...choice, hdr: 'sdr' as const }, options: videoCodecFor('mp4') },
    ...{ container: knownContainer('mp4'), filters: [], graph: 'any' as const },
  }
  const plans = await Promise.all(
    sources.map((source) => {
      const prefixed = (message: string, manner?: 'advice'): void =>
        warn(`${printableName(source.name)}: ${message}`, ...(manner ? ([manner] as const) : []))
      return preparePicture(source, request, { signal, warn: prefixed })
    }),
  )
  const clips = plans.map(({ before, facts }) => {
    // Metadata of the brightness is dropped with HDR.
    const { light, ...others } = facts
    return { before, isHdr: isKept, picture: isKept ? facts : others }
  })
  const { facts } = firstOf(plans)
  const isCommon = plans.every(({ facts: { light } }) => isDeepStrictEqual(light, facts.light))
  const { light, ...others } = facts
  const common = planPicture(firstOf(streams), { ...request, facts: isCommon ? facts : others })
  return {
    clips,
    options: isKept ? [...common.options, ...hdrColour(transfer)] : [...request.options, ...FITTED_COLOUR],
  }
}

/** The colours of HDR clips after they are fitted. */
const hdrColour = (transfer: string): string[] => [
  ...['-color_range', 'tv', '-color_primaries', 'bt2020', '-color_trc', transfer, '-colorspace', 'bt2020nc'],
]
