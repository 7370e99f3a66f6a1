/** Inputs and outputs of networks that separate a subject from its background (U-2-Net, IS-Net, BiRefNet, MODNet). */
export interface MattingNetwork {
  /** Sides of its square input, px: the picture is squeezed into it. */
  side: number
  /** Per channel (RGB), of samples from 0 to `white`. */
  mean: readonly [number, number, number]
  deviation: readonly [number, number, number]
  /** The sample value that becomes 1: 255, or the largest sample of the picture, as in the networks' training. */
  white: 255 | 'largest'
  /** It gives logits. */
  sigmoid?: true
  /** Its answer is stretched to the whole range. */
  stretch?: true
}

const IMAGENET = { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] } as const

const U2NET: MattingNetwork = { side: 320, ...IMAGENET, white: 'largest', stretch: true }
const BIREFNET: MattingNetwork = { side: 1024, ...IMAGENET, white: 'largest', sigmoid: true, stretch: true }
const HALF = [0.5, 0.5, 0.5] as const
const CENTRED = [128 / 255, 128 / 255, 128 / 255] as const
const BY_256 = [256 / 255, 256 / 255, 256 / 255] as const
/** (x - 128) / 256, as the publisher of these files feeds them. */
const IMGLY_ISNET: MattingNetwork = { side: 1024, mean: CENTRED, deviation: BY_256, white: 255 }

/** By the id of the model in the manifest. */
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
  // The network takes any size; a square of 512 is what it was trained on.
  modnet: { side: 512, mean: HALF, deviation: HALF, white: 255 },
}

/** Models that can be selected by name. */
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

/** Fallbacks of a model, the best first: the same task with less memory. */
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

/** The models that may do it: the first one that is installed and fits counts. */
export function mattingChain(...first: readonly (string | undefined)[]): string[] {
  return [...new Set([...first.filter((id) => id !== undefined), ...FALLBACKS])]
}

/** For people: models that were trained on them first. */
export const PORTRAIT_CHAIN = mattingChain('birefnet-portrait', 'birefnet-general', 'u2net_human_seg')
