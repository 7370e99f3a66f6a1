// Hand-written sharp code for the work of each tool; the encode options are those of the tools (the JPEG's own 92,
// 4:2:0).
import { join } from 'node:path'
import sharp from 'sharp'

const jpeg = (image, output) => image.jpeg({ quality: 92 }).toFile(`${output}.jpg`)
const png = (image, output) => image.png().toFile(`${output}.png`)
const open = (input) => sharp(input).autoOrient()
const SEPIA = [
  [0.393, 0.769, 0.189],
  [0.349, 0.686, 0.168],
  [0.272, 0.534, 0.131],
]
const svg = (body) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="3000">${body}</svg>`)
const text = (words, size) =>
  svg(
    `<text x="50%" y="50%" font-size="${size}" font-family="Noto Sans" fill="#fff" text-anchor="middle">${words}</text>`,
  )

/** Fills every block of RGB pixels with its mean. */
function fillBlocks(data, { width, height }, side) {
  for (let top = 0; top < height; top += side)
    for (let left = 0; left < width; left += side) {
      const [bottom, right] = [Math.min(height, top + side), Math.min(width, left + side)]
      const count = (bottom - top) * (right - left)
      let [red, green, blue] = [count / 2, count / 2, count / 2]
      for (let y = top; y < bottom; y += 1)
        for (let at = (y * width + left) * 3; at < (y * width + right) * 3; at += 3) {
          red += data[at]
          green += data[at + 1]
          blue += data[at + 2]
        }
      for (let y = top; y < bottom; y += 1)
        for (let at = (y * width + left) * 3; at < (y * width + right) * 3; at += 3) {
          data[at] = red / count
          data[at + 1] = green / count
          data[at + 2] = blue / count
        }
    }
}

/** The means of a grid over grey pixels. */
function meansOf(data, { width, height }, columns, rows) {
  const sums = new Float64Array(columns * rows)
  for (let y = 0; y < height; y += 1) {
    const row = Math.floor((y * rows) / height) * columns
    for (let column = 0; column < columns; column += 1) {
      const end = y * width + Math.floor(((column + 1) * width) / columns)
      for (let at = y * width + Math.floor((column * width) / columns); at < end; at += 1)
        sums[row + column] += data[at]
    }
  }
  return sums.map((sum) => (sum * columns * rows) / (width * height))
}

/** The formats that optimize-for-web compares. */
const WEB_FORMATS = {
  webp: (image) => image.webp({ quality: 80 }),
  png: (image) => image.png(),
  jpeg: (image) => image.jpeg({ quality: 80, mozjpeg: true }),
}

/** The formats in which the centre of raw pixels takes fewer bytes than as WebP. */
async function smallerThanWebp(data, raw, side, formats) {
  const centre = { left: (raw.width - side) >> 1, top: (raw.height - side) >> 1, width: side, height: side }
  const bytes = async (format) => (await WEB_FORMATS[format](sharp(data, { raw }).extract(centre)).toBuffer()).length
  const own = await bytes('webp')
  const smaller = []
  for (const format of formats) if ((await bytes(format)) < own) smaller.push(format)
  return smaller
}

const row = (id, settings, rival, work, rest = {}) => ({ id, settings, rival, work, ...rest })

export const BY_HAND = [
  row('resize', { width: 1600 }, 'resize', (i, o) => jpeg(open(i).resize(1600), o)),
  row('crop', { left: 100, top: 100, width: 3000, height: 2000 }, 'extract', (i, o) =>
    jpeg(open(i).extract({ left: 100, top: 100, width: 3000, height: 2000 }), o),
  ),
  row('rotate', { angle: 90 }, 'rotate', (i, o) => jpeg(open(i).rotate(90), o)),
  row('convert', { format: 'webp', quality: 80 }, 'webp', (i, o) => open(i).webp({ quality: 80 }).toFile(`${o}.webp`)),
  row('compress', { quality: 80 }, 'mozjpeg', (i, o) =>
    open(i).jpeg({ quality: 80, mozjpeg: true }).toFile(`${o}.jpg`),
  ),
  row('strip-metadata', {}, 'decode and encode', (i, o) => jpeg(open(i), o)),
  row(
    'optimize-for-web',
    { format: 'webp', maxWidth: 1600 },
    'resize, webp, the centre in other formats',
    async (i, o) => {
      const { data, info } = await open(i).resize(1600).raw().toBuffer({ resolveWithObject: true })
      const promising = await smallerThanWebp(data, info, 256, ['png', 'jpeg'])
      if (promising.length > 0) await smallerThanWebp(data, info, 1024, promising)
      await WEB_FORMATS.webp(sharp(data, { raw: info })).toFile(`${o}.webp`)
    },
  ),
  row('adjust-colors', { brightness: 10 }, 'linear', (i, o) => jpeg(open(i).linear(1.1, 0), o)),
  row('adjust-colors', { saturation: 30 }, 'modulate', (i, o) => jpeg(open(i).modulate({ saturation: 1.3 }), o)),
  row('adjust-colors', { effect: 'sepia' }, 'recomb', (i, o) => jpeg(open(i).recomb(SEPIA), o)),
  row('color-blindness', {}, 'recomb (not in linear light)', (i, o) => jpeg(open(i).recomb(SEPIA), o)),
  row('duotone', {}, 'recomb', (i, o) => jpeg(open(i).recomb(SEPIA), o)),
  row('sharpening', {}, 'sharpen', (i, o) => jpeg(open(i).sharpen({ sigma: 1 }), o)),
  row('replace-color', { sourceColor: '#ff0000', targetColor: '#00ff00' }, 'recomb', (i, o) =>
    jpeg(open(i).recomb(SEPIA), o),
  ),
  row('pixelate', {}, 'raw pixels, means of blocks', async (i, o) => {
    const { data, info } = await open(i).raw().toBuffer({ resolveWithObject: true })
    fillBlocks(data, info, 12)
    await jpeg(sharp(data, { raw: info }), o)
  }),
  row('vignette', {}, 'composite of a gradient', (i, o) => {
    const shade = svg(
      '<defs><radialGradient id="a"><stop offset=".5" stop-opacity="0"/><stop offset="1" stop-opacity=".6"/></radialGradient></defs><rect width="4000" height="3000" fill="url(#a)"/>',
    )
    return jpeg(open(i).composite([{ input: shade }]), o)
  }),
  row(
    'watermark-image',
    {},
    'composite',
    async (i, o, folder) => {
      const logo = await sharp(join(folder, 'logo.png')).resize(1000).ensureAlpha(0.5).png().toBuffer()
      await jpeg(open(i).composite([{ input: logo, gravity: 'southeast' }]), o)
    },
    { secondary: { watermark: 'logo.png' } },
  ),
  row('watermark-text', { text: 'Copyright' }, 'composite of text', (i, o) =>
    jpeg(open(i).composite([{ input: text('Copyright', 160) }]), o),
  ),
  row('text-overlay', { text: 'Hello' }, 'composite of text', (i, o) =>
    jpeg(open(i).composite([{ input: text('Hello', 160) }]), o),
  ),
  row(
    'compose',
    { blend: 'multiply' },
    'composite',
    async (i, o, folder) =>
      jpeg(open(i).composite([{ input: join(folder, 'logo.png'), left: 0, top: 0, blend: 'multiply' }]), o),
    { secondary: { overlay: 'logo.png' } },
  ),
  row('border', {}, 'extend', (i, o) => jpeg(open(i).extend({ top: 20, bottom: 20, left: 20, right: 20 }), o)),
  row('image-pad', { target: '1:1' }, 'resize contain', (i, o) =>
    jpeg(open(i).resize(4000, 4000, { fit: 'contain', background: '#fff' }), o),
  ),
  row('circle-crop', {}, 'composite dest-in, PNG', (i, o) =>
    png(
      open(i)
        .resize(3000, 3000, { fit: 'cover' })
        .composite([
          {
            input: Buffer.from('<svg width="3000" height="3000"><circle cx="1500" cy="1500" r="1500"/></svg>'),
            blend: 'dest-in',
          },
        ]),
      o,
    ),
  ),
  row('split', { rows: 3, cols: 3 }, 'nine extracts', async (i, o) => {
    for (let part = 0; part < 9; part += 1) {
      const at = { left: (part % 3) * 1333, top: Math.floor(part / 3) * 1000, width: 1333, height: 1000 }
      await open(i).extract(at).jpeg({ quality: 90 }).toFile(`${o}-${part}.jpg`)
    }
  }),
  row(
    'stitch',
    {},
    'composite of two',
    async (_input, o, folder) => {
      const canvas = sharp({
        create: { width: 8000, height: 3000, channels: 3, background: '#fff' },
        limitInputPixels: false,
      })
      const photo = join(folder, 'photo.jpg')
      await png(
        canvas.composite([
          { input: photo, left: 0, top: 0 },
          { input: photo, left: 4000, top: 0 },
        ]),
        o,
      )
    },
    { inputs: ['photo.jpg', 'photo.jpg'] },
  ),
  row('info', {}, 'metadata, stats', async (i) => {
    await sharp(i).metadata()
    await sharp(i).stats()
  }),
  row('histogram', {}, 'raw pixels, without a chart', async (i) => {
    const data = await open(i).raw().toBuffer()
    const bins = new Uint32Array(1024)
    for (let at = 0; at < data.length; at += 3) {
      bins[data[at]] += 1
      bins[256 + data[at + 1]] += 1
      bins[512 + data[at + 2]] += 1
      bins[768 + Math.round(0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2])] += 1
    }
  }),
  row(
    'compare',
    {},
    'raw pixels, a loop, PNG',
    async (i, o, folder) => {
      const read = (file) => sharp(file).autoOrient().raw().toBuffer()
      const [a, b] = await Promise.all([read(i), read(join(folder, 'photo.jpg'))])
      const data = Buffer.alloc((a.length / 3) * 4)
      for (let at = 0, to = 0; at < a.length; at += 3, to += 4) {
        const apart = (Math.abs(a[at] - b[at]) + Math.abs(a[at + 1] - b[at + 1]) + Math.abs(a[at + 2] - b[at + 2])) / 3
        data.set(apart > 10 ? [255, 0, 0, Math.min(255, apart * 3)] : [a[at], a[at + 1], a[at + 2], 128], to)
      }
      await png(sharp(data, { raw: { width: 4000, height: 3000, channels: 4 } }), o)
    },
    { inputs: ['photo.jpg', 'photo.jpg'] },
  ),
  row(
    'find-duplicates',
    {},
    'means of grey pixels, mean colour, a thumbnail',
    async (i, o) => {
      for (const name of ['a', 'b']) {
        const { data, info } = await open(i).greyscale().raw().toBuffer({ resolveWithObject: true })
        for (const [columns, rows] of [
          [9, 8],
          [8, 9],
        ])
          meansOf(data, info, columns, rows)
        await open(i).resize(1, 1, { fit: 'fill' }).raw().toBuffer()
        await open(i).resize(200).jpeg({ quality: 70 }).toFile(`${o}-${name}.jpg`)
      }
    },
    { inputs: ['photo.jpg', 'photo.jpg'] },
  ),
  row('color-palette', {}, 'raw pixels, 40,000 samples counted', async (i) => {
    const { data, info } = await open(i).raw().toBuffer({ resolveWithObject: true })
    const counts = new Map()
    for (let sample = 0; sample < 40_000; sample += 1) {
      const at = Math.floor((sample * info.width * info.height) / 40_000) * 3
      const colour = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2]
      counts.set(colour, (counts.get(colour) ?? 0) + 1)
    }
    return [...counts].sort((one, other) => other[1] - one[1]).slice(0, 8)
  }),
  row('lqip-placeholder', {}, 'resize, blur, webp', (i, o) =>
    open(i).resize(16).blur(1).webp({ quality: 50 }).toFile(`${o}.webp`),
  ),
  row('image-to-base64', {}, 'read and encode', async (i) => {
    const { readFile } = await import('node:fs/promises')
    ;(await readFile(i)).toString('base64')
  }),
  row('smart-crop', { width: 1000, height: 1000 }, 'resize attention', (i, o) =>
    jpeg(open(i).resize(1000, 1000, { position: 'attention' }), o),
  ),
  row('smart-crop', { mode: 'trim' }, 'trim', (i, o) => jpeg(open(i).trim({ threshold: 30 }), o)),
]
