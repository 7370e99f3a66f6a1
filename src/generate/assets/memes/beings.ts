/** Templates with animals, arms and brains. */
import { features } from './figures.ts'
import { box, circle, ellipse, INK, limb, picture, place, shape, stroke, within } from './shapes.ts'

/** A brain seen from the side, about 0, 0; 100 wide. */
const brain = (fill: string): string =>
  [
    shape(
      'M-48 12 Q-60 -20 -34 -30 Q-22 -50 4 -42 Q32 -50 42 -24 Q60 -8 46 14 Q40 32 14 28 Q-6 38 -22 28 Q-44 32 -48 12Z',
      fill,
      4,
    ),
    stroke('M-30 -8 Q-16 -22 -4 -8 M2 -26 Q18 -22 16 -6 M-22 14 Q-4 4 10 14 M22 6 Q34 -4 38 6', 3),
  ].join('')

/** Four rows with an ever brighter brain on the right. */
export function brighterBrains(): string {
  const grounds = ['#23262e', '#26395c', '#3a2a6b', '#120a3a']
  const row = (step: number): string => {
    const rays = Array.from({ length: 4 + step * 8 }, (_, index) => {
      const angle = (index * 2 * Math.PI) / (4 + step * 8)
      const [x, y] = [Math.cos(angle), Math.sin(angle)]
      const [from, to] = [70, 84 + step * 44 + (index % 2) * 26]
      return stroke(
        `M${x * from} ${y * from} L${x * to} ${y * to}`,
        2 + step,
        ['#8899aa', '#8fd3ff', '#ffe27a', '#ffffff'][step]!,
      )
    })
    const glow = [70, 110, 150].map(
      (radius) =>
        `<circle r="${radius}" fill="${['#33405a', '#6fc3ff', '#ffd45e', '#fff6c9'][step]}" opacity="${0.1 + step * 0.1}"/>`,
    )
    const profile = shape(
      'M-120 210 L-112 120 Q-140 40 -110 -40 Q-70 -130 30 -120 Q110 -110 116 -20 L140 30 L116 44 L116 84 Q112 110 70 104 L66 210Z',
      ['#5c6470', '#4f7fb3', '#8a6fd0', '#b79bff'][step]!,
    )
    const parts = [
      box([430, 0, 430, 300], grounds[step]!, { line: 0 }),
      place(profile, { x: 640, y: 156, scale: 0.9 }),
      place(glow.join('') + (step > 0 ? rays.join('') : ''), { x: 632, y: 118 }),
      place(brain(['#d99aa5', '#f2b6c0', '#ffd9a8', '#ffffff'][step]!), { x: 632, y: 118, scale: 0.7 + step * 0.22 }),
    ]
    return place(within(`row${step}`, [430, 0, 430, 300], parts.join('')), { y: step * 300 })
  }
  return picture(
    860,
    1200,
    '#ffffff',
    ...[0, 1, 2, 3].map(row),
    stroke('M430 0 L430 1200 M0 300 L860 300 M0 600 L860 600 M0 900 L860 900', 6),
  )
}

const FUR = '#d9a25f'
const CREAM = '#f6e3c4'

/** A dog's head about 0, 0; 200 wide. */
const dogHead = (mood: 'smug' | 'worried'): string =>
  [
    shape('M-92 -40 L-84 -124 L-30 -84Z', FUR),
    shape('M92 -40 L84 -124 L30 -84Z', FUR),
    shape('M-100 0 Q-104 -92 0 -92 Q104 -92 100 0 Q96 84 0 88 Q-96 84 -100 0Z', FUR),
    shape('M-84 34 Q-40 -10 0 16 Q40 -10 84 34 Q60 84 0 86 Q-60 84 -84 34Z', CREAM, 0),
    place(features(mood, [0.3, 0.2]), { y: -14, scale: 0.84 }),
    ellipse(0, 14, 18, 13, INK, 0),
  ].join('')

/** A strong dog on the left, a weak one on the right. */
export function strongAndWeak(): string {
  const strong = [
    limb('M120 330 Q40 380 80 470', 66, FUR),
    limb('M330 330 Q410 380 370 470', 66, FUR),
    shape('M110 300 Q120 250 225 250 Q330 250 340 300 Q350 400 280 440 L170 440 Q100 400 110 300Z', FUR),
    shape('M160 300 Q190 280 222 300 L222 350 Q180 372 156 344Z', CREAM),
    shape('M290 300 Q260 280 228 300 L228 350 Q270 372 294 344Z', CREAM),
    stroke('M180 386 L270 386 M184 414 L266 414 M225 360 L225 436', 4),
    limb('M186 440 L176 520', 58, FUR),
    limb('M264 440 L274 520', 58, FUR),
    place(dogHead('smug'), { x: 225, y: 196, scale: 0.78 }),
  ].join('')
  const weak = [
    shape('M640 520 Q610 400 670 360 Q730 330 770 380 Q810 450 790 520Z', FUR),
    shape('M676 520 Q660 430 704 396 Q750 430 738 520Z', CREAM, 0),
    limb('M672 430 L668 520', 30, FUR),
    limb('M744 430 L750 520', 30, FUR),
    stroke('M790 500 Q840 490 826 450', 16, FUR),
    place(dogHead('worried'), { x: 704, y: 320, scale: 0.72, turn: 6 }),
    shape('M800 250 q-14 24 0 32 q14 -8 0 -32Z', '#7cc6ee', 4),
  ].join('')
  return picture(
    940,
    720,
    '#ffffff',
    ellipse(225, 534, 190, 20, '#dddddd', 0),
    ellipse(715, 534, 150, 18, '#dddddd', 0),
    strong,
    weak,
  )
}

const BEAR = '#9a6b43'
const SNOUT = '#d9b58c'

const bear = (mood: 'calm' | 'smug', isDressed: boolean): string =>
  [
    circle(-76, -80, 34, BEAR),
    circle(76, -80, 34, BEAR),
    shape('M-150 330 Q-160 130 -60 96 L60 96 Q160 130 150 330Z', isDressed ? '#23242a' : BEAR),
    isDressed ? shape('M-46 96 L0 250 L46 96Z', '#ffffff') : ellipse(0, 240, 84, 90, SNOUT),
    isDressed ? stroke('M-50 100 L-66 150 L-40 166 L0 262 L40 166 L66 150 L50 100') : '',
    ellipse(0, 0, 106, 100, BEAR),
    ellipse(0, 40, 54, 42, SNOUT),
    place(features(mood, [0.8, 0]), { y: -6, scale: 0.9 }),
    ellipse(0, 20, 17, 12, INK, 0),
    isDressed
      ? shape('M0 108 L-54 84 L-54 136Z M0 108 L54 84 L54 136Z', '#a3222f') + circle(0, 110, 12, '#a3222f')
      : '',
    isDressed ? stroke('M60 10 Q76 70 40 130', 3, '#d9a927') + circle(36, -12, 32, 'none', 6) : '',
  ].join('')

/** Two rows: a plain bear, then the bear in evening dress. */
export function plainAndFancy(): string {
  const chair = (colour: string): string =>
    shape('M40 290 L40 110 Q40 50 110 50 L290 50 Q360 50 360 110 L360 290Z', colour) +
    box([20, 180, 60, 120], colour, { round: 24 }) +
    box([320, 180, 60, 120], colour, { round: 24 })
  const row = (index: number): string => {
    const parts = [
      box([0, 0, 400, 290], index ? '#3b2f4f' : '#e9dcc0', { line: 0 }),
      chair(index ? '#7d2535' : '#b8c78f'),
      place(bear(index ? 'smug' : 'calm', index === 1), { x: 200, y: 130, scale: 0.78 }),
    ]
    return place(within(`row${index}`, [0, 0, 400, 290], parts.join('')), { y: index * 290 })
  }
  return picture(800, 580, '#ffffff', row(0), row(1), stroke('M400 0 L400 580 M0 290 L800 290', 6))
}

/** Two muscular arms clasp hands. */
export function claspedHands(): string {
  const rays = Array.from({ length: 24 }, (_, index) => {
    const angle = (index * Math.PI) / 12
    const [x, y, u, v] = [Math.cos(angle), Math.sin(angle), Math.cos(angle + 0.13), Math.sin(angle + 0.13)]
    return `<path d="M450 260 L${450 + x * 900} ${260 + y * 900} L${450 + u * 900} ${260 + v * 900}Z" fill="#f9d98b"/>`
  })
  const arm = (skin: string, sleeve: string, name: string): string =>
    [
      `<g id="${name}">`,
      shape(
        'M-20 700 L20 470 Q60 380 170 372 Q230 330 300 300 L400 236 L452 300 L350 392 Q330 440 250 470 Q190 560 180 700Z',
        skin,
      ),
      stroke('M150 440 Q190 400 250 410 M196 486 Q236 440 300 420 M300 330 Q330 340 340 366', 5),
      shape('M-60 720 L0 470 Q60 420 120 470 Q190 520 206 560 L190 720Z', sleeve),
      '</g>',
    ].join('')
  const hands = [
    shape('M384 238 Q404 190 452 184 L520 190 Q548 214 536 250 L512 300 Q480 334 440 316 L404 300Z', '#8a5a3a'),
    shape('M516 238 Q500 196 470 196 L398 214 Q372 238 384 268 L420 322 Q452 342 486 316 L508 300Z', '#f0c9a0'),
    stroke('M404 224 L430 292 M426 214 L456 290 M452 206 L480 284', 5),
    shape('M440 196 Q470 160 502 184 Q510 210 476 220Z', '#8a5a3a'),
  ].join('')
  return picture(
    900,
    645,
    '#f4b942',
    ...rays,
    arm('#8a5a3a', '#c8323a', 'left'),
    place(arm('#f0c9a0', '#ffffff', 'right'), { x: 900, mirror: true }),
    hands,
  )
}
