/** Templates of faces and moods: alarm and calm, make-up, three lonely scenes, a fall. */
import { features, fist, head, torso } from './figures.ts'
import { box, circle, ellipse, INK, limb, picture, place, shape, stroke, within, words } from './shapes.ts'

/** Three rows of a face: alarm, calm, alarm. */
export function alarmAndCalm(): string {
  const height = 880 / 3
  const skin = '#c9c4bd'
  const row = (index: number): string => {
    const isCalm = index === 1
    const ground = isCalm ? '#9ed3e6' : index === 0 ? '#e8884f' : '#d94436'
    const rays = Array.from({ length: 12 }, (_, ray) => {
      const angle = (ray * Math.PI) / 6
      const [x, y] = [Math.cos(angle), Math.sin(angle)]
      return stroke(`M${x * 140} ${y * 130} L${x * 190} ${y * 170}`, 7, index === 2 ? '#ffe14d' : '#ffffff')
    })
    const face = [
      isCalm ? '' : rays.join(''),
      shape('M-70 220 L-60 70 L60 70 L70 220Z', skin),
      ellipse(0, 0, 92, 112, skin),
      place(features(isCalm ? 'calm' : 'shocked', index === 2 ? [0.4, 0.4] : [0, 0]), {
        y: 6,
        scale: index === 2 ? 1.12 : 1,
      }),
      isCalm ? stroke('M-58 -10 Q-36 6 -14 -10 M14 -10 Q36 6 58 -10', 6) : '',
      index === 2 ? fist(-92, 92, skin, 30) + fist(92, 92, skin, 30) : '',
    ].join('')
    const parts = box([320, 0, 320, height], ground, { line: 0 }) + place(face, { x: 480, y: 140 })
    return place(within(`row${index}`, [320, 0, 320, height], parts), { y: index * height })
  }
  return picture(
    640,
    880,
    '#ffffff',
    ...[0, 1, 2].map(row),
    stroke(`M320 0 L320 880 M0 ${height} L640 ${height} M0 ${2 * height} L640 ${2 * height}`, 6),
  )
}

/** Four steps of putting on clown make-up. */
export function clownMakeUp(): string {
  const skin = '#ecc29b'
  const person = (step: number): string => {
    const wig = [-110, -70, 70, 110].map((x) => circle(x, x % 20 === 0 && Math.abs(x) > 100 ? -10 : -66, 52, '#e23b3b'))
    return [
      step === 3 ? wig.join('') + circle(0, -104, 50, '#e23b3b') : '',
      torso(step === 3 ? '#f4c93c' : '#6b7684', skin, 300),
      step === 3 ? [-60, 0, 60].map((x) => circle(x, 190, 16, '#3b7dd8')).join('') : '',
      head({
        skin: step > 0 ? '#fbf7f0' : skin,
        hair: '#5a4030',
        style: step === 3 ? 'none' : 'short',
        mood: step === 0 ? 'calm' : 'happy',
        look: [0.5, 0],
      }),
      step > 1
        ? ellipse(-36, -8, 30, 36, '#6fb1de', 0) + ellipse(36, -8, 30, 36, '#6fb1de', 0) + features('happy', [0.5, 0])
        : '',
      step > 1 ? stroke('M-46 30 Q0 96 46 30', 10, '#d92f2f') : '',
      step > 2 ? circle(0, 16, 22, '#d92f2f') : '',
    ].join('')
  }
  const row = (step: number): string => {
    const parts = [
      box([0, 0, 375, 200], ['#cfd8dc', '#d7ccc8', '#dcd0e3', '#f6dfa6'][step]!, { line: 0 }),
      place(person(step), { x: 180, y: 104, scale: 0.74 }),
      step < 3 ? limb('M330 210 L330 150 L286 124', 26, '#6b7684') + fist(280, 120, skin, 16) : '',
      step < 3 ? stroke('M280 116 L256 104', 8, ['#fbf7f0', '#6fb1de', '#d92f2f'][step]!) : '',
    ]
    return place(within(`row${step}`, [0, 0, 375, 200], parts.join('')), { y: step * 200 })
  }
  return picture(
    750,
    800,
    '#ffffff',
    ...[0, 1, 2, 3].map(row),
    stroke('M375 0 L375 800 M0 200 L750 200 M0 400 L750 400 M0 600 L750 600', 6),
  )
}

/** Three scenes of a lonely man. */
export function lonelyMan(): string {
  const height = 710 / 3
  const skin = '#e3b48a'
  const figure = (look: readonly [number, number], bottom = 300): string =>
    torso('#b9a27f', skin, bottom) + head({ skin, hair: '#2f2521', style: 'short', mood: 'sad', look })
  const swing = [
    stroke('M300 0 L312 170 M420 0 L408 170', 5, '#8a5f3c'),
    box([290, 170, 140, 14], '#8a5f3c', { line: 4 }),
    limb('M340 176 L330 216 L310 226', 26, '#4b5560'),
    limb('M376 176 L372 218 L392 228', 26, '#4b5560'),
    place(figure([-0.6, 0.8], 236), { x: 360, y: 72, scale: 0.42 }),
  ].join('')
  const table = [
    place(figure([0.6, 0.6], 170), { x: 200, y: 86, scale: 0.5 }),
    box([60, 168, 600, 18], '#a0764b', { line: 4 }),
    box([110, 186, 18, 60], '#8a6440', { line: 4 }),
    box([590, 186, 18, 60], '#8a6440', { line: 4 }),
    ellipse(250, 164, 46, 10, '#ffffff', 4),
    box([520, 92, 12, 120], '#8a6440', { line: 4 }),
    box([520, 90, 90, 12], '#8a6440', { line: 4 }),
  ].join('')
  const pool = [
    shape('M300 130 L700 130 L640 220 L220 220Z', '#dfe8ea'),
    stroke('M330 140 L660 140 M280 176 L640 176', 3, '#a9bcc2'),
    limb('M140 180 L136 236', 24, '#4b5560'),
    limb('M172 180 L178 236', 24, '#4b5560'),
    place(figure([1, 0.8]), { x: 156, y: 62, scale: 0.42 }),
  ].join('')
  const row = (index: number, sky: string, ground: string, scene: string): string =>
    place(
      within(
        `row${index}`,
        [0, 0, 720, height],
        box([0, 0, 720, height], sky, { line: 0 }) + box([0, 150, 720, 100], ground, { line: 0 }) + scene,
      ),
      { y: index * height },
    )
  return picture(
    720,
    710,
    '#ffffff',
    row(0, '#c6d3cf', '#9fae7f', place(swing, { x: -230 })),
    row(1, '#cfc4ae', '#b3a184', table),
    row(2, '#bfcdd3', '#b9b29f', pool),
    stroke(`M0 ${height} L720 ${height} M0 ${2 * height} L720 ${2 * height}`, 6),
  )
}

const bicycle = (): string => {
  const wheel = (x: number): string =>
    circle(x, 0, 46, 'none', 8) + circle(x, 0, 7, INK, 0) + stroke(`M${x - 44} 0 L${x + 44} 0 M${x} -44 L${x} 44`, 2)
  return `${wheel(-70)}${wheel(70)}${stroke('M-70 0 L-30 -64 L44 -64 L0 0Z M-30 -64 L-38 -84 M-54 -84 L-22 -84 M70 0 L40 -88 L60 -96', 8, '#2f63c4')}`
}

/** Three panels: a rider jams a stick in his own wheel and falls. */
export function stickInWheel(): string {
  const height = 680 / 3
  const skin = '#ecc29b'
  const face = (mood: 'happy' | 'smug' | 'sad'): string =>
    head({ skin, hair: '#6b4a2f', style: 'short', mood, look: [1, 0] })
  const rider = (mood: 'happy' | 'smug', arm: string): string =>
    [
      bicycle(),
      limb('M-34 -90 L10 -40 L2 2', 22, '#4b5560'),
      limb('M-34 -94 L-8 -150', 40, '#d9863b'),
      place(face(mood), { x: 2, y: -186, scale: 0.36 }),
      arm,
    ].join('')
  const carrying = rider(
    'happy',
    `${limb('M-8 -146 L44 -110', 20, '#d9863b')}${stroke('M30 -150 L76 -60', 9, '#8a5f3c')}${fist(52, -104, skin, 14)}`,
  )
  const jamming = rider(
    'smug',
    `${limb('M-8 -146 L50 -84 L64 -54', 20, '#d9863b')}${fist(68, -46, skin, 14)}${stroke('M64 -70 L98 40', 10, '#8a5f3c')}`,
  )
  const fallen = [
    place(bicycle(), { x: 90, y: 176, turn: 64, scale: 0.8 }),
    limb('M170 190 L230 150 L262 192', 24, '#4b5560'),
    limb('M170 196 L120 150', 40, '#d9863b'),
    place(face('sad'), { x: 108, y: 112, scale: 0.36 }),
    limb('M128 150 L190 130 L226 152', 20, '#d9863b'),
    fist(228, 152, skin, 14),
    words('!', 40, 76, 60, '#d92f2f'),
  ].join('')
  const panel = (index: number, parts: string): string =>
    place(
      within(
        `row${index}`,
        [0, 0, 500, height],
        box([0, 0, 500, height], '#d6ecf5', { line: 0 }) +
          box([0, 196, 500, 40], '#a9a59c', { line: 0 }) +
          stroke('M0 196 L500 196', 4) +
          parts,
      ),
      { y: index * height },
    )
  return picture(
    500,
    680,
    '#ffffff',
    panel(0, place(carrying, { x: 124, y: 172, scale: 0.72 })),
    panel(1, place(jamming, { x: 370, y: 172, scale: 0.72 })),
    panel(2, fallen),
    stroke(`M0 ${height} L500 ${height} M0 ${2 * height} L500 ${2 * height}`, 6),
  )
}
