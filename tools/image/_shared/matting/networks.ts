/** Input and output of a network that separates subject and background (U-2-Net, IS-Net, BiRefNet, MODNet). */
export interface MattingNetwork {
  /** Side of its square input, px: the image is resized to it without keeping its aspect ratio. */
  side: number
  /** Per channel (RGB), for samples from 0 to `white`. */
  mean: readonly [number, number, number]
  deviation: readonly [number, number, number]
  /**
   * The value mapped to 1: 255, or the largest sample of the image, as these networks were trained on normalised
   * images.
   */
  white: 255 | 'largest'
  /** Whether it returns logits. */
  sigmoid?: true
  /** Whether its output is stretched to the full range. */
  stretch?: true
}

const IMAGENET = { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] } as const

const U2NET: MattingNetwork = { side: 320, ...IMAGENET, white: 'largest', stretch: true }
const BIREFNET: MattingNetwork = { side: 1024, ...IMAGENET, white: 'largest', sigmoid: true, stretch: true }
const HALF = [0.5, 0.5, 0.5] as const
const CENTRED = [128 / 255, 128 / 255, 128 / 255] as const
const BY_256 = [256 / 255, 256 / 255, 256 / 255] as const
/** (x - 128) / 256, as used by the publisher of these files. */
const IMGLY_ISNET: MattingNetwork = { side: 1024, mean: CENTRED, deviation: BY_256, white: 255 }

/** By model id in the manifest. */
export const MATTING_NETWORKS: Readonly<Record<string, MattingNetwork>> = {
  'birefnet-general': BIREFNET,
  'birefnet-portrait': BIREFNET,
  'birefnet-dis': BIREFNET,
  'birefnet-hrsod': BIREFNET,
  'birefnet-cod': BIREFNET,
  'birefnet-general-lite': BIREFNET,
  // Its logits are not stretched: a matte has its own half-tones.
  'birefnet-hr-matting': { side: 2048, ...IMAGENET, white: 'largest', sigmoid: true },
  u2net: U2NET,
  u2net_human_seg: U2NET,
  u2netp: U2NET,
  silueta: U2NET,
  'isnet-general-use': { side: 1024, mean: HALF, deviation: [1, 1, 1], white: 'largest', stretch: true },
  'isnet-fp16': IMGLY_ISNET,
  'isnet-quint8': IMGLY_ISNET,
  // The network takes any size, but was trained on squares of 512.
  modnet: { side: 512, mean: HALF, deviation: HALF, white: 255 },
}

/** Models that can be requested by name. */
export const MATTING_MODELS = [
  'birefnet-general',
  'birefnet-portrait',
  'birefnet-dis',
  'birefnet-hrsod',
  'birefnet-cod',
  'u2net',
  'u2net_human_seg',
  'isnet-general-use',
  'birefnet-general-lite',
  'birefnet-hr-matting',
  'isnet-fp16',
  'isnet-quint8',
  'u2netp',
  'silueta',
  'modnet',
] as const

/** Fallbacks for the requested model, the best first: the same subject, found with less memory. */
const FALLBACKS = [
  'birefnet-general',
  'birefnet-general-lite',
  'isnet-general-use',
  'isnet-fp16',
  'isnet-quint8',
  'u2net',
  'silueta',
  'u2netp',
] as const

/** The candidate models: the first one that is installed and fits is used. */
export function mattingChain(...first: readonly (string | undefined)[]): string[] {
  return [...new Set([...first.filter((id) => id !== undefined), ...FALLBACKS])]
}

/** For people: models trained on them first. */
export const PORTRAIT_CHAIN = mattingChain('birefnet-portrait', 'birefnet-general', 'u2net_human_seg')
