/** Drawn photographs of barcodes with camera defects, reproducible from a seed. */
import bwip from 'bwip-js/node'
import sharp from 'sharp'

/** A random number generator from 0 to 1 (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const digits = (count, random) => Array.from({ length: count }, () => Math.floor(random() * 10)).join('')
const letters = (count, random) =>
  Array.from({ length: count }, () => 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789'[Math.floor(random() * 34)]).join('')

const withCheck = (body) => {
  const sum = [...body].reverse().reduce((all, digit, index) => all + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
  return body + ((10 - (sum % 10)) % 10)
}

/** Content by symbology: its name in bwip-js and a text. */
const TEXTS = {
  ean13: (random) => withCheck(`4${digits(11, random)}`),
  upca: (random) => withCheck(digits(11, random)),
  ean8: (random) => withCheck(digits(7, random)),
  code128: (random) => letters(10, random),
  code39: (random) => letters(7, random),
  interleaved2of5: (random) => digits(12, random),
  qrcode: (random) => `https://example.com/${letters(12, random)}`,
  datamatrix: (random) => letters(14, random),
  pdf417: (random) => letters(24, random),
  azteccode: (random) => letters(14, random),
}
const MATRIX = new Set(['qrcode', 'datamatrix', 'pdf417', 'azteccode'])

/** Conditions of a photograph; omitted values mean perfect conditions. */
export const CONDITIONS = {
  plain: {},
  small: { module: 1.7 },
  blurred: { module: 3, blur: 0.75 },
  'very blurred': { module: 3, blur: 1 },
  'moved along': { module: 3, motion: 1.4 },
  turned: { module: 2.5, angle: 'any' },
  curved: { module: 3, bend: 1 },
  'curved, blurred': { module: 3, bend: 0.9, blur: 0.6 },
  'curved, turned': { module: 3, bend: 0.8, angle: 12, blur: 0.4 },
  'curved the other way': { module: 3, bend: 0.8, across: true, blur: 0.4 },
  askew: { module: 3, perspective: 0.35, angle: 8 },
  pale: { module: 2.5, contrast: 0.18, noise: 4 },
  noisy: { module: 2.5, noise: 28 },
  'unevenly lit': { module: 2.5, shade: 0.75, noise: 5 },
  glare: { module: 3, glare: true },
  'small, blurred, noisy': { module: 2, blur: 0.5, noise: 8, quality: 55 },
  'poor JPEG': { module: 2, quality: 18 },
}

/** Grey samples of a code with its quiet zone; linear codes have one pixel per module in width. */
async function printed(bcid, text, random) {
  const isMatrix = MATRIX.has(bcid)
  const scale = 6
  const png = await bwip.toBuffer({
    ...{ bcid, text, scale, paddingwidth: isMatrix ? 4 : 11, paddingheight: 4, backgroundcolor: 'ffffff' },
    ...(isMatrix ? {} : { height: 12 + random() * 8, includetext: random() < 0.6 }),
  })
  const { data, info } = await sharp(png)
    .flatten({ background: '#ffffff' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, scale }
}

const sampled = ({ data, width, height }, x, y) => {
  const [left, top] = [Math.floor(x), Math.floor(y)]
  if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) return undefined
  const [across, down] = [x - left, y - top]
  const at = top * width + left
  const upper = data[at] * (1 - across) + data[at + 1] * across
  return upper * (1 - down) + (data[at + width] * (1 - across) + data[at + width + 1] * across) * down
}

/** The colours of a photograph without its subject: soft areas, some edges and grain. */
function ground(width, height, random) {
  const waves = Array.from({ length: 6 }, () => [random() * 0.02, random() * 0.02, random() * 6, 10 + random() * 22])
  const boxes = Array.from({ length: 14 }, () => [
    random() * width,
    random() * height,
    random() * 200,
    random() * 120,
    (random() - 0.5) * 120,
  ])
  return Float32Array.from({ length: width * height }, (_, index) => {
    const [x, y] = [index % width, Math.floor(index / width)]
    let value = 120
    for (const [across, down, phase, strength] of waves) value += Math.sin(x * across + y * down + phase) * strength
    for (const [left, top, wide, high, tone] of boxes)
      if (x > left && x < left + wide && y > top && y < top + high) value += tone
    return value
  })
}

/** One JPEG, 1000 x 750, with a code under a condition; `code` is undefined for a picture without one. */
export async function scene(bcid, condition, seed, { width = 1000, height = 750 } = {}) {
  const random = randomFrom(seed)
  const { module = 3, blur = 0, motion = 0, angle = 3, bend = 0, across = false, perspective = 0 } = condition
  const { contrast = 0.75, noise = 2, shade = 0, glare = false, quality = 80 } = condition
  const pixels = ground(width, height, random)
  const text = bcid && TEXTS[bcid](random)
  if (bcid) {
    const code = await printed(bcid, text, random)
    const zoom = module / code.scale
    const degrees = angle === 'any' ? random() * 360 : (random() * 2 - 1) * angle
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
    const centre = [width * (0.45 + random() * 0.1), height * (0.45 + random() * 0.1)]
    // Half of the visible label; a bent label covers this angle of a cylinder.
    const half = [(code.width * zoom) / 2, (code.height * zoom) / 2]
    const radius = [half[0] / Math.max(bend, 1e-6), half[1] / Math.max(bend, 1e-6)]
    const dark = 60 * (1 - contrast)
    const light = dark + 255 * contrast * 0.85
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) {
        const [dx, dy] = [x - centre[0] + random() * 0, y - centre[1]]
        let u = dx * cos + dy * sin
        let v = -dx * sin + dy * cos
        if (perspective) {
          const depth = 1 + (perspective * u) / (half[0] * 2)
          u *= depth
          v *= depth
        }
        if (bend && !across) u = Math.abs(u) < radius[0] ? radius[0] * Math.asin(u / radius[0]) : 1e9
        if (bend && across) v = Math.abs(v) < radius[1] ? radius[1] * Math.asin(v / radius[1]) : 1e9
        const value = sampled(code, u / zoom + code.width / 2, v / zoom + code.height / 2)
        if (value !== undefined) pixels[y * width + x] = dark + ((light - dark) * value) / 255
      }
  }
  for (let at = 0; at < pixels.length; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)]
    if (shade) pixels[at] *= 1 - (shade * x) / width
    if (glare) pixels[at] += 190 * Math.exp(-(((x - width * 0.52) / 60) ** 2) - ((y - height * 0.47) / 50) ** 2)
  }
  const clamped = Uint8Array.from(pixels, (value) => Math.max(0, Math.min(255, value)))
  let image = sharp(clamped, { raw: { width, height, channels: 1 } })
  if (blur) image = image.blur(Math.max(0.3, blur * module))
  if (motion) {
    const length = Math.max(3, Math.round(motion * module) | 1)
    const kernel = Array.from({ length: length * length }, (_, at) =>
      Math.floor(at / length) === (length - 1) / 2 ? 1 : 0,
    )
    image = image.convolve({ width: length, height: length, kernel })
  }
  const soft = await image.toColourspace('b-w').raw().toBuffer()
  const grainy = noise
    ? Uint8Array.from(soft, (value) =>
        Math.max(0, Math.min(255, value + (random() + random() + random() - 1.5) * noise * 1.6)),
      )
    : soft
  const jpeg = await sharp(grainy, { raw: { width, height, channels: 1 } })
    .jpeg({ quality })
    .toBuffer()
  return { jpeg, text }
}
