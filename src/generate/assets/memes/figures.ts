/** People of the drawn templates. Nobody in particular: round heads, plain clothes. */
import { circle, ellipse, INK, limb, shape, stroke } from './shapes.ts'

export type Mood = 'calm' | 'happy' | 'sad' | 'angry' | 'shocked' | 'smug' | 'disgusted' | 'worried'

export interface Looks {
  skin: string
  hair: string
  style: 'short' | 'long' | 'bun' | 'none'
  mood: Mood
  /** Where the eyes look: -1 left to 1 right, -1 up to 1 down. */
  look?: readonly [number, number]
}

/** Height of the inner and outer end of the brows, the mouth, and how open the eyes are, for a head of radius 100. */
const MOODS: Record<Mood, { brows: readonly [number, number]; mouth: string; eyes: number }> = {
  calm: { brows: [-44, -44], mouth: stroke('M-26 44 Q0 56 26 44'), eyes: 1 },
  happy: { brows: [-50, -46], mouth: shape('M-38 32 Q0 44 38 32 Q28 76 0 76 Q-28 76 -38 32Z', '#7a2230'), eyes: 1 },
  sad: { brows: [-60, -40], mouth: stroke('M-28 58 Q0 36 28 58'), eyes: 0.8 },
  angry: {
    brows: [-28, -54],
    mouth: shape('M-32 62 Q0 26 32 62 Q0 52 -32 62Z', '#7a2230'),
    eyes: 0.8,
  },
  shocked: { brows: [-64, -60], mouth: ellipse(0, 56, 20, 26, '#7a2230'), eyes: 1.35 },
  smug: { brows: [-36, -48], mouth: stroke('M-20 50 Q10 58 34 36'), eyes: 0.55 },
  disgusted: { brows: [-34, -40], mouth: stroke('M-30 54 Q-12 40 2 52 Q16 62 30 48'), eyes: 0.5 },
  worried: { brows: [-60, -38], mouth: stroke('M-24 52 Q-8 44 0 52 Q10 58 24 48'), eyes: 1.1 },
}

const BACK_HAIR: Partial<Record<Looks['style'], string>> = {
  long: 'M-112 0 C-126 -140 126 -140 112 0 L122 128 Q64 156 0 140 Q-64 156 -122 128Z',
}
const FRONT_HAIR: Partial<Record<Looks['style'], string>> = {
  short: 'M-101 -4 C-116 -134 116 -134 101 -4 C92 -42 66 -64 24 -60 C-20 -56 -86 -64 -101 -4Z',
  long: 'M-101 6 C-112 -130 112 -130 101 6 C88 -46 56 -66 20 -74 C-20 -50 -82 -50 -101 6Z',
  bun: 'M-101 -14 C-108 -128 108 -128 101 -14 C74 -68 36 -76 0 -76 C-36 -76 -74 -68 -101 -14Z',
}

/** Eyes, brows and mouth on a head of radius 100 about 0, 0. */
export function features(mood: Mood, look: readonly [number, number] = [0, 0]): string {
  const { brows, mouth, eyes } = MOODS[mood]
  const sides = [-1, 1].map((side) => {
    const pupil = circle(side * 36 + look[0] * 8, -6 + look[1] * 8 * eyes, 8, INK, 0)
    const brow = stroke(`M${side * 18} ${brows[0]} L${side * 56} ${brows[1]}`, 8)
    return ellipse(side * 36, -6, 18, 21 * eyes, '#fff', 4) + pupil + brow
  })
  return sides.join('') + mouth
}

/** A head of radius 100 about 0, 0. */
export function head({ skin, hair, style, mood, look = [0, 0] }: Looks): string {
  const nose = stroke(`M${look[0] * 14} 8 q${look[0] < 0 ? -12 : 12} 14 ${look[0] < 0 ? 2 : -2} 16`, 4)
  const back = BACK_HAIR[style]
  const front = FRONT_HAIR[style]
  return [
    back ? shape(back, hair) : '',
    style === 'bun' ? circle(0, -112, 38, hair) : '',
    ellipse(-98, 6, 16, 22, skin),
    ellipse(98, 6, 16, 22, skin),
    circle(0, 0, 100, skin),
    features(mood, look),
    nose,
    front ? shape(front, hair) : '',
  ].join('')
}

/** Shoulders and chest under such a head, down to `bottom`; `collar` is drawn at the neck. */
export function torso(shirt: string, skin: string, bottom = 330): string {
  return (
    shape('M-34 70 L-34 140 L34 140 L34 70Z', skin) +
    shape(`M-140 ${bottom} L-140 190 Q-136 128 -60 120 Q0 150 60 120 Q136 128 140 190 L140 ${bottom}Z`, shirt)
  )
}

/** A jacket open over a white shirt with a tie, as `torso`. */
export function suit(jacket: string, tie: string, skin: string, bottom = 330): string {
  return [
    torso(jacket, skin, bottom),
    shape('M-46 120 L0 230 L46 120 Q0 152 -46 120Z', '#fff'),
    shape('M-14 146 L14 146 L20 220 L0 246 L-20 220Z', tie),
    stroke('M-52 120 L-64 176 L-30 196 L0 260 L30 196 L64 176 L52 120'),
  ].join('')
}

/** A hand as a fist at a point. */
export const fist = (x: number, y: number, skin: string, radius = 26): string => circle(x, y, radius, skin)

/** An open hand, fingers up, palm to the front, about the wrist at 0, 0; 120 high. */
export const openHand = (skin: string): string =>
  [
    limb('M-26 -50 L-36 -104', 16, skin),
    limb('M-8 -56 L-10 -118', 16, skin),
    limb('M12 -56 L16 -116', 16, skin),
    limb('M30 -46 L42 -98', 16, skin),
    limb('M34 -20 L62 -44', 16, skin),
    shape('M-36 0 Q-44 -40 -34 -62 L38 -62 Q44 -34 34 0Z', skin),
  ].join('')

/** A hand with the first finger stretched up, about the wrist at 0, 0. */
export const pointingHand = (skin: string): string =>
  [
    limb('M-22 -44 L-26 -118', 17, skin),
    shape('M-38 -4 Q-46 -40 -36 -62 Q0 -76 34 -58 Q44 -30 32 -2Z', skin),
    stroke('M-10 -62 L-8 -34 M10 -64 L12 -36', 4),
    limb('M-34 -22 Q-10 -30 4 -18', 15, skin),
  ].join('')
