import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { Light } from '../../../engines/ffmpeg/light.ts'
import { MediaprocError } from '../../../errors.ts'
import { encoderOf } from '../codecs.ts'
import type { PictureRequest } from './request.ts'

/** High dynamic range transfer functions: PQ and HLG. */
const HDR_TRANSFERS = new Set(['smpte2084', 'arib-std-b67'])

export const isHdr = ({ colour }: Stream): boolean => HDR_TRANSFERS.has(colour.transfer ?? '')

/** Luminance of diffuse white in HDR video, cd/m²; becomes white in SDR, whose highlights are compressed above it (ITU-R BT.2408). */
const WHITE = 203
/** Assumed peak of video that declares none, cd/m²: the nominal display of HLG and the usual one of HDR10. */
const USUAL_PEAK = 1000
/** The tone curve is linear up to this share of white, so that dark and middle tones stay as they are. */
const LINEAR_PART = 0.3
/** Names that zscale of every build since 2018 has. */
const PRIMARIES = new Set(['bt709', 'bt2020', 'smpte432', 'smpte431'])

/** The brightest part of the video, cd/m²: MaxCLL, or else the peak of the mastering display. */
function peakOf({ levels, mastering }: Light): number {
  const stated = levels?.most || (mastering ? mastering.max / 10_000 : 0) || USUAL_PEAK
  return Math.min(Math.max(stated, 1.5 * WHITE), 10_000)
}

/**
 * Filters that tone-map HDR to BT.709 in linear light: diffuse white of 203 cd/m² becomes the white of SDR, and the
 * Möbius curve compresses what is brighter. It is applied to the largest of red, green and blue, and keeps their
 * proportions (`desat=0`).
 */
export function toneMap({ colour }: Stream, light: Light = {}): string[] {
  const { transfer, primaries = '', matrix, range } = colour
  // Missing tags other than the transfer get the values that usually accompany it.
  const source = [
    `transferin=${transfer}:matrixin=${matrix === 'bt2020c' || matrix === 'bt709' ? matrix : 'bt2020nc'}`,
    `primariesin=${PRIMARIES.has(primaries) ? primaries : 'bt2020'}:rangein=${range === 'pc' ? 'pc' : 'tv'}`,
  ]
  // The peak of HLG follows the display; zscale assumes the nominal one.
  const peak = (transfer === 'arib-std-b67' ? USUAL_PEAK : peakOf(light)) / WHITE
  return [
    `zscale=${source.join(':')}:transfer=linear:npl=${WHITE}`,
    ...['format=gbrpf32le', 'zscale=primaries=bt709'],
    `tonemap=mobius:param=${LINEAR_PART}:peak=${Number(peak.toFixed(4))}:desat=0`,
    // Without dither, skies have bands; an ordered one does not flicker.
    ...['zscale=transfer=bt709:matrix=bt709:range=tv:dither=ordered', 'format=yuv420p'],
  ]
}

/** Whether an encode can keep HDR: VP9 with 10 bits, or HEVC instead of H.264 where the container holds it. */
export function holdsHdr({ options, container }: PictureRequest): boolean {
  const encoder = encoderOf(options, 'v')
  if (encoder === 'libvpx-vp9' || encoder === 'libx265') return true
  const holdsHevc = container?.video.some((name) => name === '*' || name === 'hevc') ?? false
  return encoder === 'libx264' && holdsHevc
}

export const cannotHold = (): MediaprocError =>
  new MediaprocError('INVALID_SETTINGS', 'The HDR of the video cannot be kept: the result has a codec without HDR', {
    hint: { shell: 'Leave out --hdr keep to convert it to SDR.', http: 'Set hdr to auto to convert it to SDR.' },
  })

const paired = (values: readonly number[]): string => `(${values.join(',')})`

/** SMPTE ST 2086 and CTA-861.3 values in the syntax of x265. */
function x265Light({ mastering, levels }: Light): string[] {
  return [
    ...(mastering
      ? [
          `master-display=G${paired(mastering.green)}B${paired(mastering.blue)}R${paired(mastering.red)}` +
            `WP${paired(mastering.white)}L${paired([mastering.max, mastering.min])}`,
        ]
      : []),
    ...(levels ? [`max-cll=${levels.most},${levels.average}`] : []),
  ]
}

/**
 * Options for H.264 or HEVC as options for HEVC with 10 bits, with the same preset and CRF. Measured with 10 bits and the preset
 * medium (bench/looks.md): at CRF 23 the SSIM of x265 is that of x264, 0.989, in 0.9 times the bytes. The offset of +5 in
 * ffmpeg's guide (Encode/H.265, "CRF of 28 … should visually correspond to libx264 video at CRF 23") lowers it to 0.980.
 * @param isMov players of Apple require the tag `hvc1` in MP4 and MOV
 */
export function hevcOptions(options: readonly string[], light: Light, isMov: boolean): string[] {
  const changed = options.map((option) => {
    if (option === 'libx264') return 'libx265'
    return option === 'yuv420p' ? 'yuv420p10le' : option
  })
  const parameters = ['log-level=error', ...x265Light(light)]
  return [...changed, '-x265-params', parameters.join(':'), ...(isMov ? ['-tag:v', 'hvc1'] : [])]
}
