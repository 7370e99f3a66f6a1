/** Templates in which somebody explains, offers or argues. */
import { fist, head, suit, torso } from './figures.ts'
import { box, circle, ellipse, limb, picture, place, shape, stroke, within, words } from './shapes.ts'

/** A tree in the background. */
const tree = (x: number, y: number, size: number): string =>
  box([x - size * 0.1, y, size * 0.2, size * 0.8], '#8a5f3c', { line: 4 }) +
  circle(x, y - size * 0.2, size * 0.5, '#5f9e4f', 4)

/** A man at a table behind a sign. */
export function behindTheSign(): string {
  const skin = '#ecc29b'
  const man = [
    torso('#7d8791', skin, 360),
    head({ skin, hair: '#4a3426', style: 'short', mood: 'smug', look: [0.6, 0.2] }),
  ].join('')
  return picture(
    960,
    720,
    '#bfe0ef',
    box([0, 300, 960, 420], '#8fbf6c', { line: 0 }),
    tree(110, 190, 240),
    tree(840, 170, 280),
    tree(640, 210, 180),
    place(man, { x: 400, y: 190, scale: 0.8 }),
    limb('M500 330 L560 360 L610 340', 44, '#7d8791'),
    box([596, 300, 50, 64], '#f4f4f4', { round: 6 }),
    stroke('M646 316 q26 6 0 32'),
    fist(600, 338, skin, 22),
    limb('M300 340 L290 370 L350 372', 44, '#7d8791'),
    fist(358, 372, skin, 22),
    shape('M130 380 L830 380 L880 420 L80 420Z', '#b98a58'),
    box([110, 420, 30, 300], '#8a6440'),
    box([820, 420, 30, 300], '#8a6440'),
    box([200, 384, 560, 264], '#ffffff', { round: 6 }),
  )
}

/** Four boards: a presentation that turns against the presenter. */
export function fourBoards(): string {
  const skin = '#f0cba4'
  const height = 675 / 4
  const row = (index: number): string => {
    const isLate = index === 3
    const mood = isLate ? 'shocked' : index === 2 ? 'calm' : 'happy'
    const person = [
      torso('#4b4f58', skin, 400),
      shape('M-60 120 Q0 160 60 120 L66 172 Q0 206 -66 172Z', '#8aa35c'),
      head({ skin, hair: '#4b4f58', style: 'none', mood, look: isLate ? [1, 0] : [-0.4, 0] }),
      shape('M-40 -96 Q-10 -128 10 -98 Q26 -128 44 -92Z', '#6b4a2f'),
    ].join('')
    const arm = isLate
      ? limb('M200 150 L180 180', 26, '#4b4f58')
      : limb('M238 132 L300 120', 24, '#4b4f58') + fist(304, 118, skin, 14) + stroke('M304 118 L500 66', 6, '#8a5f3c')
    const parts = [
      box([0, 0, 1050, height], index % 2 ? '#c9d3b6' : '#d6dfc6', { line: 0 }),
      stroke(`M560 0 L536 ${height} M1010 0 L1034 ${height}`, 10, '#8a5f3c'),
      box([530, 8, 510, height - 16], '#ffffff', { round: 4 }),
      place(person, { x: 190, y: 70, scale: 0.56 }),
      arm,
      isLate ? words('?!', 330, 110, 76, '#d92f2f') : '',
    ]
    return place(within(`row${index}`, [0, 0, 1050, height], parts.join('')), { y: index * height })
  }
  const lines = [1, 2, 3].map((index) => stroke(`M0 ${index * height} L1050 ${index * height}`, 6))
  return picture(1050, 675, '#ffffff', ...[0, 1, 2, 3].map(row), ...lines)
}

/** A suited man folds his hands over a two-column offer. */
export function offer(): string {
  const skin = '#e3b48a'
  const warning = (x: number): string =>
    shape(`M${x} 30 L${x + 44} 104 L${x - 44} 104Z`, '#f4c93c') + words('!', x, 98, 54)
  const man = [
    suit('#33414f', '#a33b4b', skin, 400),
    head({ skin, hair: '#2f2521', style: 'short', mood: 'smug', look: [0, 0] }),
  ].join('')
  return picture(
    600,
    790,
    '#8d2630',
    words('TRADE OFFER', 300, 104, 72, '#ffffff'),
    warning(72),
    warning(528),
    words('I RECEIVE', 156, 226, 44, '#ffffff'),
    words('YOU RECEIVE', 444, 226, 44, '#ffffff'),
    box([30, 246, 252, 268], '#b34650', { round: 10 }),
    box([318, 246, 252, 268], '#b34650', { round: 10 }),
    place(man, { x: 300, y: 590, scale: 0.72 }),
    limb('M206 760 L250 716', 44, '#33414f'),
    limb('M394 760 L350 716', 44, '#33414f'),
    shape('M240 724 Q270 690 300 676 Q330 690 360 724 Q330 758 300 752 Q270 758 240 724Z', skin),
    stroke('M300 676 L300 752 M276 692 L290 716 M324 692 L310 716 M262 706 L282 730 M338 706 L318 730', 4),
  )
}

/** Four panels of a talk in a meadow that turns worried. */
export function meadowTalk(): string {
  const side = 384
  const man = (mood: 'happy' | 'smug'): string =>
    torso('#5b4636', '#eec39a', 500) +
    shape('M-60 120 Q0 190 60 120 L40 118 Q0 150 -40 118Z', '#3c2e24') +
    head({ skin: '#eec39a', hair: '#a2703c', style: 'short', mood, look: [1, 0] })
  const woman = (mood: 'happy' | 'worried'): string =>
    torso('#e6d7a8', '#f2cfae', 500) + head({ skin: '#f2cfae', hair: '#4a2f22', style: 'bun', mood, look: [-1, 0] })
  const panel = (name: string, x: number, y: number, person: string, at: number): string => {
    const flowers = [40, 110, 170, 250, 330].map((place, index) =>
      circle(place, 250 + ((index * 37) % 90), 7, ['#ffffff', '#f4d23c', '#e57aa0'][index % 3]!, 2),
    )
    const parts = [
      box([0, 0, side, side], '#bfe0ef', { line: 0 }),
      shape('M0 150 Q100 70 190 140 Q290 60 384 150 L384 240 L0 240Z', '#8fb2c9', 0),
      box([0, 200, side, side], '#86b75f', { line: 0 }),
      ...flowers,
      place(person, { x: at, y: 220, scale: 0.92 }),
    ]
    return place(within(name, [0, 0, side, side], parts.join('')), { x, y })
  }
  return picture(
    768,
    768,
    '#ffffff',
    panel('one', 0, 0, man('happy'), 170),
    panel('two', side, 0, woman('happy'), 210),
    panel('three', 0, side, man('smug'), 170),
    panel('four', side, side, woman('worried'), 210),
    stroke('M384 0 L384 768 M0 384 L768 384', 8),
  )
}

/** Two sheets held up, a woman below who sees no difference. */
export function samePicture(): string {
  const skin = '#f2cfae'
  const woman = [
    torso('#3d5a80', skin, 520),
    shape('M-60 120 L0 250 L60 120 Q0 150 -60 120Z', '#ffffff'),
    head({ skin, hair: '#8a5a36', style: 'bun', mood: 'calm', look: [0, -0.3] }),
  ].join('')
  const sheet = (x: number, turn: number): string =>
    place(box([-185, -150, 370, 300], '#ffffff') + shape('M150 150 L185 150 L185 112Z', '#d8d8d8', 4), {
      x,
      y: 230,
      turn,
    })
  return picture(
    1000,
    1120,
    '#d9cfc0',
    box([0, 0, 1000, 420], '#c5b9a6', { line: 0 }),
    ellipse(500, 1140, 640, 160, '#a98f6d', 0),
    place(woman, { x: 500, y: 640, scale: 1.2 }),
    limb('M360 850 L180 700 L250 420', 74, '#3d5a80'),
    limb('M640 850 L820 700 L750 420', 74, '#3d5a80'),
    sheet(275, -1),
    sheet(725, 1),
    fist(250, 392, skin, 36),
    fist(750, 392, skin, 36),
  )
}
