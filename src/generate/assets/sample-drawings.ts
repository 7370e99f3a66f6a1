/** Pictures that look a little like photographs: gradients, soft shapes and grain. Drawn by numbers, the same every time. */

/** A seeded stream of numbers from 0 to 1 (mulberry32, public domain). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const svg = (width: number, height: number, body: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`

const gradient = (id: string, stops: readonly [number, string][], extra = ''): string =>
  `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1" ${extra}>${stops.map(([at, colour]) => `<stop offset="${at}" stop-color="${colour}"/>`).join('')}</linearGradient>`

/** One ridge of hills across the picture. */
function ridge(width: number, height: number, base: number, rise: number, random: () => number): string {
  const points = Array.from({ length: 13 }, (_, index) => [(index * width) / 12, base - random() * rise] as const)
  return `M0 ${height}L${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}L${width} ${height}z`
}

/** Hills, a lake and a low sun; `shift` moves the sun, for animations. */
export function landscape(width: number, height: number, shift = 0): string {
  const random = seeded(42)
  const sunX = width * (0.25 + (shift % 360) / 720)
  const sunY = height * (0.3 + 0.08 * Math.sin((shift * Math.PI) / 180))
  const hills = [
    ['#5b6f95', 0.55, 0.2],
    ['#3d4f73', 0.64, 0.16],
    ['#233350', 0.72, 0.12],
  ] as const
  const body =
    `<defs>${gradient('sky', [
      [0, '#26407c'],
      [0.45, '#e58f65'],
      [0.62, '#fbd38d'],
      [1, '#fef3c7'],
    ])}${gradient('lake', [
      [0, '#e2a87c'],
      [1, '#1e2f57'],
    ])}<radialGradient id="sun"><stop offset="0" stop-color="#fffbe6"/><stop offset="0.25" stop-color="#ffe9a8"/><stop offset="1" stop-color="#ffe9a8" stop-opacity="0"/></radialGradient>` +
    `<filter id="grain"><feTurbulence type="fractalNoise" baseFrequency="0.9" numOctaves="2" seed="7"/><feColorMatrix values="0 0 0 0 0.5  0 0 0 0 0.5  0 0 0 0 0.5  0 0 0 0.16 0"/></filter></defs>` +
    `<rect width="100%" height="100%" fill="url(#sky)"/>` +
    `<circle cx="${sunX}" cy="${sunY}" r="${height * 0.28}" fill="url(#sun)"/>` +
    hills
      .map(
        ([colour, base, rise]) =>
          `<path d="${ridge(width, height, height * base, height * rise, random)}" fill="${colour}"/>`,
      )
      .join('') +
    `<rect y="${height * 0.78}" width="100%" height="22%" fill="url(#lake)"/>` +
    Array.from({ length: 26 }, () => {
      const y = height * (0.8 + random() * 0.19)
      const length = width * (0.03 + random() * 0.1)
      return `<rect x="${(random() * width).toFixed(1)}" y="${y.toFixed(1)}" width="${length.toFixed(1)}" height="${(height * 0.004).toFixed(1)}" fill="#fff2cf" opacity="${(0.1 + random() * 0.35).toFixed(2)}"/>`
    }).join('') +
    `<rect width="100%" height="100%" filter="url(#grain)"/>`
  return svg(width, height, body)
}

/** The landscape with scratches across it, bright and dark. */
export function scratchedLandscape(width: number, height: number): string {
  const random = seeded(11)
  const scratch = (colour: string): string => {
    const [x, y, turn] = [random() * width, random() * height, random() * Math.PI]
    const [across, down] = [Math.cos(turn) * 0.5 * height, Math.sin(turn) * 0.5 * height]
    const bend = `${(x + across / 2 + random() * 12).toFixed(1)} ${(y + down / 2).toFixed(1)}`
    const end = `${(x + across).toFixed(1)} ${(y + down).toFixed(1)}`
    return `<path d="M${x.toFixed(1)} ${y.toFixed(1)}Q${bend} ${end}" fill="none" stroke="${colour}" stroke-width="1.8"/>`
  }
  const scratches = [...Array(6).fill('#f6f3ea'), '#141210'].map(scratch)
  return landscape(width, height).replace('</svg>', `${scratches.join('')}</svg>`)
}

/** White where the landscape has its farthest peak. */
export function peakMask(width: number, height: number): string {
  const body = `<rect width="100%" height="100%"/><circle cx="${width * 0.666}" cy="${height * 0.4}" r="${height * 0.1}" fill="#fff"/>`
  return svg(width, height, body)
}

/** A drawn head and shoulders of no real person. */
export function portrait(width: number, height: number): string {
  const x = width / 2
  const body =
    `<defs>${gradient('back', [
      [0, '#8fb8c9'],
      [1, '#355c70'],
    ])}</defs><rect width="100%" height="100%" fill="url(#back)"/>` +
    `<path d="M${width * 0.08} ${height}C${width * 0.1} ${height * 0.74} ${width * 0.3} ${height * 0.7} ${x} ${height * 0.7}S${width * 0.9} ${height * 0.74} ${width * 0.92} ${height}z" fill="#7c2d3a"/>` +
    `<rect x="${x - width * 0.09}" y="${height * 0.55}" width="${width * 0.18}" height="${height * 0.2}" rx="${width * 0.08}" fill="#d9a07c"/>` +
    // A plain pullover has nothing that a network for mattes knows as clothes: it made holes in it.
    `<path d="M${x - width * 0.09} ${height * 0.7}L${x} ${height * 0.84}L${x + width * 0.09} ${height * 0.7}z" fill="#d9a07c"/>` +
    [-1, 1]
      .map(
        (side) =>
          `<path d="M${x + side * width * 0.105} ${height * 0.702}L${x + side * width * 0.015} ${height * 0.86}L${x + side * width * 0.165} ${height * 0.77}z" fill="#5e1f2b"/>`,
      )
      .join('') +
    `<path d="M${x} ${height * 0.85}V${height}" stroke="#4a1722" stroke-width="${width * 0.008}"/>` +
    `<ellipse cx="${x}" cy="${height * 0.4}" rx="${width * 0.2}" ry="${height * 0.21}" fill="#e8b48f"/>` +
    `<path d="M${x - width * 0.22} ${height * 0.4}C${x - width * 0.25} ${height * 0.1} ${x + width * 0.25} ${height * 0.1} ${x + width * 0.22} ${height * 0.4}C${x + width * 0.15} ${height * 0.27} ${x - width * 0.1} ${height * 0.25} ${x - width * 0.22} ${height * 0.4}z" fill="#3a2a20"/>` +
    [-1, 1]
      .map(
        (side) =>
          `<ellipse cx="${x + side * width * 0.075}" cy="${height * 0.4}" rx="${width * 0.022}" ry="${height * 0.014}" fill="#2b2118"/>`,
      )
      .join('') +
    `<path d="M${x - width * 0.06} ${height * 0.5}Q${x} ${height * 0.535} ${x + width * 0.06} ${height * 0.5}" stroke="#9c4a3f" stroke-width="${width * 0.012}" fill="none" stroke-linecap="round"/>`
  return svg(width, height, body)
}

/** A mark on transparent ground. */
export const LOGO = svg(
  256,
  256,
  `<circle cx="128" cy="128" r="120" fill="#1e3a8a"/><path d="M64 172V84l64 56 64-56v88" fill="none" stroke="#fef3c7" stroke-width="26" stroke-linejoin="round" stroke-linecap="round"/>`,
)
