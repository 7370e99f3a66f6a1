/** Templates about choosing: two rows, two buttons, an exit, a passer-by, a balloon. */
import { features, fist, head, openHand, pointingHand, torso } from './figures.ts'
import { box, circle, ellipse, INK, limb, picture, place, shape, stroke, within } from './shapes.ts'

const SKIN = '#c98f62'
const JACKET = '#e8792b'

/** Lines across a padded jacket. */
const padding = [190, 230, 270].map((y) => stroke(`M-138 ${y} Q0 ${y + 22} 138 ${y}`, 4)).join('')

/** Two rows: a refusing gesture above, an approving one below; captions on the right. */
export function refuseAndApprove(): string {
  const looks = { skin: SKIN, hair: '#3a2a22', style: 'short' } as const
  const person = (mood: 'disgusted' | 'smug', look: readonly [number, number], turn: number): string =>
    torso(JACKET, SKIN, 420) + padding + place(head({ ...looks, mood, look }), { turn })
  const above = place(person('disgusted', [-1, 0.6], -10), { x: 250, y: 250, scale: 1.1 })
  const refusing =
    limb('M370 470 L470 520 L486 330', 64, JACKET) + place(openHand(SKIN), { x: 486, y: 300, turn: 14, scale: 1.3 })
  const below = place(person('smug', [1, -0.2], 8), { x: 250, y: 250, scale: 1.1 })
  const approving =
    limb('M370 480 L480 540 L500 400', 64, JACKET) + place(pointingHand(SKIN), { x: 502, y: 376, turn: 24, scale: 1.3 })
  return picture(
    1200,
    1200,
    '#ffffff',
    box([0, 0, 600, 600], '#f3c64b', { line: 0 }),
    within('above', [0, 0, 600, 600], above + refusing),
    box([0, 600, 600, 600], '#f3c64b', { line: 0 }),
    within('below', [0, 600, 600, 600], place(below + approving, { y: 600 })),
    stroke('M600 0 L600 1200 M0 600 L1200 600', 8),
  )
}

/** A hand hovers over two buttons, a sweating person below. */
export function twoButtons(): string {
  const button = (x: number): string =>
    ellipse(x, 330, 84, 34, '#8f959c') +
    shape(`M${x - 62} 322 L${x - 62} 296 Q${x} 262 ${x + 62} 296 L${x + 62} 322 Q${x} 352 ${x - 62} 322Z`, '#d92f2f')
  const label = (x: number): string => box([x, 18, 228, 198], '#f7f4ea', { round: 8 })
  const drop = (x: number, y: number): string => shape(`M${x} ${y} q-14 24 0 32 q14 -8 0 -32Z`, '#7cc6ee', 4)
  const person = [
    torso('#3b6fb5', '#f0c9a0', 400),
    head({ skin: '#f0c9a0', hair: '#6b4a2f', style: 'short', mood: 'worried', look: [0, -1] }),
    [
      [-84, -84],
      [-112, 20],
      [92, -96],
      [116, 30],
      [40, -128],
    ]
      .map(([x, y]) => drop(x!, y!))
      .join(''),
  ].join('')
  const towel =
    shape('M382 556 L470 536 L492 600 L404 622Z', '#ffffff') +
    limb('M520 900 L560 730 L446 590', 48, '#3b6fb5') +
    fist(442, 586, '#f0c9a0', 30)
  const hand = limb('M330 500 L278 430', 62, '#3b6fb5') + place(pointingHand('#f0c9a0'), { x: 276, y: 410, turn: -14 })
  return picture(
    600,
    900,
    '#d9dee3',
    box([0, 0, 600, 450], '#b9c2cb', { line: 0 }),
    label(26),
    label(266),
    button(150),
    button(386),
    hand,
    box([0, 450, 600, 450], '#8fc0a9', { line: 0 }),
    within('person', [0, 450, 600, 450], place(person, { x: 290, y: 650, scale: 1.05 }) + towel),
    stroke('M0 450 L600 450', 8),
  )
}

/** A car swerves into a motorway exit. */
export function exitRamp(): string {
  const sign = (x: number, width: number): string =>
    box([x, 8, width, 206], '#1d7a46', { round: 12 }) + box([x + 8, 16, width - 16, 190], 'none', { round: 8, line: 3 })
  const arrow = (d: string): string => stroke(d, 10, '#ffffff')
  const wheel = (x: number, y: number): string => ellipse(x, y, 30, 38, INK) + ellipse(x, y, 12, 16, '#c9ccd0', 3)
  const car = [
    shape(
      'M-150 60 Q-160 0 -120 -10 L-84 -84 Q-78 -98 -60 -98 L60 -98 Q78 -98 84 -84 L120 -10 Q160 0 150 60 L150 96 L-150 96Z',
      '#2f63c4',
    ),
    shape('M-66 -80 L66 -80 L92 -14 L-92 -14Z', '#bfe3f2'),
    ellipse(-112, 30, 24, 16, '#e33b3b'),
    ellipse(112, 30, 24, 16, '#e33b3b'),
    box([-52, 38, 104, 34], '#ffffff', { round: 6 }),
    wheel(-116, 100),
    wheel(116, 100),
  ].join('')
  const smoke = [
    [250, 690, 34],
    [205, 720, 26],
    [300, 715, 24],
  ]
    .map(([x, y, radius]) => circle(x!, y!, radius!, '#eeeeee', 3))
    .join('')
  return picture(
    800,
    760,
    '#a9d8f0',
    box([0, 300, 800, 460], '#7fae58', { line: 0 }),
    shape('M110 760 L330 300 L420 300 L470 760Z', '#6d7278'),
    stroke('M300 740 L352 560 M362 520 L376 440 M382 410 L388 330', 9, '#ffffff'),
    shape('M300 760 L400 430 Q470 360 800 330 L800 450 Q560 470 520 760Z', '#6d7278'),
    stroke('M520 740 Q560 480 790 446', 6, '#f4d23c'),
    box([262, 60, 16, 300], '#8b9097'),
    box([772, 60, 16, 330], '#8b9097'),
    sign(268, 250),
    sign(528, 254),
    arrow('M392 202 L392 146 M374 166 L392 146 L410 166'),
    arrow('M626 202 Q630 166 684 164 M664 148 L686 164 L666 182'),
    stroke('M300 660 Q360 560 470 520 M376 700 Q420 620 520 590', 14, '#3a3d42'),
    smoke,
    place(car, { x: 440, y: 566, turn: 14, scale: 0.98 }),
  )
}

/** A man turns to look at a passer-by while his partner watches. */
export function turningHead(): string {
  const passer = [
    torso('#d7263d', '#f2cfae', 520),
    head({ skin: '#f2cfae', hair: '#7a3b1d', style: 'long', mood: 'happy', look: [-1, 0] }),
  ].join('')
  const partner = [
    torso('#6fb1de', '#eec39a', 520),
    head({ skin: '#eec39a', hair: '#3d2b24', style: 'long', mood: 'angry', look: [-1, 0.2] }),
  ].join('')
  const man = [
    torso('#4c6fb0', '#e8b98d', 520),
    stroke(
      'M-136 220 L136 220 M-136 280 L136 280 M-136 340 L136 340 M-60 160 L-60 400 M0 170 L0 400 M60 160 L60 400',
      4,
      '#38558c',
    ),
    place(head({ skin: '#e8b98d', hair: '#4a3426', style: 'short', mood: 'smug', look: [-1, 0] }), {
      turn: -12,
      x: -12,
    }),
  ].join('')
  const houses = [0, 1, 2, 3, 4, 5].map((index) =>
    box([index * 140 - 10, 60 + (index % 2) * 50, 132, 400], ['#e4d3b5', '#d9b99b', '#cfd6d9'][index % 3]!, {
      line: 3,
    }),
  )
  return picture(
    1200,
    800,
    '#cfe6f2',
    ...houses,
    box([830, 90, 380, 400], '#dcc7a6', { line: 3 }),
    box([0, 440, 1200, 360], '#b7b3ab', { line: 0 }),
    place(partner, { x: 880, y: 500, scale: 0.98 }),
    place(man, { x: 620, y: 470, scale: 1.05 }),
    limb('M740 670 Q800 720 780 790', 56, '#4c6fb0'),
    place(passer, { x: 250, y: 500, scale: 1.2 }),
  )
}

/** A figure reaches for a balloon and is held back. */
export function heldBack(): string {
  const white = '#f7f5f0'
  const pink = '#f0a3bd'
  const figure = [
    limb('M470 740 L440 900 L400 930', 46, white),
    limb('M520 740 L560 890 L610 910', 46, white),
    limb('M500 540 L560 430 L600 330', 44, white),
    shape('M420 520 Q430 470 490 470 Q560 470 570 540 L560 750 Q490 790 420 750Z', white),
    place(circle(0, 0, 100, white) + features('shocked', [0.8, -0.8]), { x: 480, y: 400, scale: 0.9, turn: 16 }),
    fist(604, 322, white, 26),
  ].join('')
  const blob = [
    shape('M30 960 Q-20 600 60 470 Q130 380 230 440 Q330 500 340 700 Q350 880 330 960Z', pink),
    place(features('smug', [1, -0.4]), { x: 190, y: 510, scale: 0.85 }),
    limb('M300 660 Q420 700 560 640', 52, pink),
    limb('M310 740 Q430 790 560 720', 52, pink),
  ].join('')
  const balloon = [
    stroke('M536 296 Q560 310 610 318', 4),
    stroke('M530 236 Q510 280 604 322', 4),
    shape('M518 226 L544 226 L536 244 L524 244Z', '#e33b3b'),
    ellipse(532, 126, 150, 106, '#e33b3b'),
    stroke('M430 90 Q446 56 490 44', 10, '#f7a1a1'),
  ].join('')
  return picture(
    760,
    1020,
    '#bfe4f5',
    box([0, 900, 760, 120], '#86bf6a', { line: 0 }),
    stroke('M0 900 L760 900', 5),
    balloon,
    figure,
    blob,
  )
}
