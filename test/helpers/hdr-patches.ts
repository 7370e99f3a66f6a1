import { runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { sharedMedia } from './av.ts'

/** Red, green and blue of a patch in light of BT.709 primaries, cd/m². */
export type Patch = readonly [number, number, number]

export const BRIGHTNESS = { peak: 1000, average: 400, white: 203 }

/** PQ: the inverse EOTF of SMPTE ST 2084, 0 to 1. */
function pq(nits: number): number {
  const power = (nits / 10_000) ** (2610 / 16_384)
  return ((3424 / 4096 + (2413 / 128) * power) / (1 + (2392 / 128) * power)) ** (2523 / 32)
}

/** Linear light with BT.709 primaries as linear light with BT.2020 primaries (ITU-R BT.2087). */
const toWide = ([red, green, blue]: Patch): Patch => [
  0.6274 * red + 0.3293 * green + 0.0433 * blue,
  0.0691 * red + 0.9195 * green + 0.0114 * blue,
  0.0164 * red + 0.088 * green + 0.8956 * blue,
]

/** The 10-bit codes of a patch: limited range, matrix of BT.2020. */
function codesOf(patch: Patch): { y: number; cb: number; cr: number } {
  const [red, green, blue] = toWide(patch).map(pq) as unknown as Patch
  const luma = 0.2627 * red + 0.678 * green + 0.0593 * blue
  return { y: 64 + 876 * luma, cb: 512 + (896 * (blue - luma)) / 1.8814, cr: 512 + (896 * (red - luma)) / 1.4746 }
}

/** Patches of 64 x 64 px beside each other for 0.8 s, as HDR10 with mastering data. */
export function hdrPatches(patches: readonly Patch[]): Promise<string> {
  return sharedMedia(['hdr patches', ...patches.flat()], 'patches.mkv', async (path) => {
    const pick = (key: 'y' | 'cb' | 'cr', width: number): string =>
      patches.reduceRight((rest, patch, at) => {
        const code = Math.round(codesOf(patch)[key])
        return rest === '' ? String(code) : `if(lt(X,${(at + 1) * width}),${code},${rest})`
      }, '')
    const size = `${64 * patches.length}x64`
    const planes = `lum='${pick('y', 64)}':cb='${pick('cb', 32)}':cr='${pick('cr', 32)}'`
    const display = 'G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)'
    const light = `master-display=${display}:max-cll=${BRIGHTNESS.peak},${BRIGHTNESS.average}`
    await runFfmpeg([
      ...['-f', 'lavfi', '-i', `nullsrc=s=${size}:r=10:d=0.8,format=yuv420p10le,geq=${planes}`],
      ...['-c:v', 'libx265', '-crf', '8', '-x265-params', `log-level=error:${light}`, '-pix_fmt', 'yuv420p10le'],
      ...[
        '-color_primaries',
        'bt2020',
        '-color_trc',
        'smpte2084',
        '-colorspace',
        'bt2020nc',
        '-color_range',
        'tv',
        path,
      ],
    ])
  })
}

/** The curve `mobius` of ffmpeg's tonemap: linear up to 0.3, 1 at the peak. */
function mobius(value: number, peak: number): number {
  const knee = 0.3
  if (value <= knee) return value
  const a = (-knee * knee * (peak - 1)) / (knee * knee - 2 * knee + peak)
  const b = (knee * knee - 2 * knee * peak + peak) / (peak - 1)
  return ((b * b + 2 * b * knee + knee * knee) / (b - a)) * ((value + a) / (value + b))
}

/**
 * What a patch becomes in 8-bit RGB: relative to diffuse white, compressed by its largest channel, for a display of BT.1886.
 * @param peak of the video, cd/m²
 */
export function sdrCode(patch: Patch, peak: number): [number, number, number] {
  const linear = patch.map((nits) => nits / BRIGHTNESS.white)
  const most = Math.max(...linear)
  const factor = mobius(most, peak / BRIGHTNESS.white) / most
  return linear.map((value) => 255 * (value * factor) ** (1 / 2.4)) as [number, number, number]
}
