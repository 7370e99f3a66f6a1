// The checks of `npm run models:check`: each model's tool on a picture, and a figure that shows whether the weights
// meet the interface in models/models.json. A check disables the other models of its row.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { drawPage, errorRate, missingLines, PAGES } from './ocr-pages.mjs'

const MATTES = [
  ...['birefnet-general', 'birefnet-portrait', 'birefnet-dis', 'birefnet-hrsod', 'birefnet-cod'],
  ...['birefnet-general-lite', 'birefnet-hr-matting', 'isnet-general-use', 'isnet-fp16', 'isnet-quint8'],
  ...['u2net', 'u2net_human_seg', 'u2netp', 'silueta', 'modnet'],
]
const ENLARGERS = {
  'realesr-general-x4v3': { scale: 4, model: 'auto' },
  'realesrgan-x2plus': { scale: 2, model: 'realesrgan' },
  'realesrgan-x4plus': { scale: 4, model: 'realesrgan' },
  'rdn-x2': { scale: 2, model: 'rdn' },
  'rdn-x3': { scale: 3, model: 'rdn' },
  'rdn-x4': { scale: 4, model: 'rdn' },
}
const READERS = ['ppocrv6-det-medium', 'ppocrv6-rec-medium', 'ppocrv6-det-small', 'ppocrv6-rec-small']
const SMALL_READERS = ['ppocrv4-det-mobile', 'ppocrv4-rec-mobile']
const TESSERACT = {
  ...{ 'tesseract-eng': 'en', 'tesseract-deu': 'de', 'tesseract-fra': 'fr', 'tesseract-spa': 'es' },
  ...{ 'tesseract-jpn': 'ja', 'tesseract-kor': 'ko', 'tesseract-chi-sim': 'zh' },
}
const SPEECH = ['whisper-small', 'whisper-base', 'whisper-tiny']

/** Largest crop that an upscaling network processes here, in px, so that two cores need only seconds. */
const PART = 512
const PAGE = 'The quick brown fox jumps over the lazy dog. 0123456789'
const LINES = 8

const raw = (input) => sharp(input).toColourspace('srgb').removeAlpha().raw().toBuffer()
const percent = (part) => `${(part * 100).toFixed(1)} %`

function decibels(one, other) {
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += (one[at] - other[at]) ** 2
  return 10 * Math.log10((255 * 255 * one.length) / Math.max(sum, 1e-9))
}
const over = (ours, theirs) => `${ours.toFixed(2)} dB, ${ours - theirs < 0 ? '' : '+'}${(ours - theirs).toFixed(2)} dB`

/** The centre of a picture with sides in multiples of 24, as a reference for results from a reduced copy. */
async function middle(picture, folder) {
  const { width, height } = await sharp(picture).metadata()
  const sides = [width, height].map((side) => Math.floor(Math.min(PART, side) / 24) * 24)
  const [across, down] = sides
  const cut = { left: (width - across) >> 1, top: (height - down) >> 1, width: across, height: down }
  const path = join(folder, 'reference.png')
  await sharp(picture).extract(cut).toColourspace('srgb').removeAlpha().png().toFile(path)
  return { path, width: across, height: down }
}

/** Noise that is identical on every machine. */
function noiseOf(length, deviation) {
  const bytes = Buffer.concat(
    Array.from({ length: Math.ceil(length / 16) }, (_, at) => createHash('sha512').update(`${at}`).digest()),
  )
  const four = (at) => bytes[at] + bytes[at + 1] + bytes[at + 2] + bytes[at + 3]
  // The sum of four uniform numbers up to 255 has a standard deviation of 147.8 around its mean of 510.
  return (at) => ((four((at % (length - 4)) * 4) - 510) / 147.8) * deviation
}

const matte = {
  drawing: 'portrait',
  tool: 'image/remove-background',
  settings: (model) => ({ model, outputFormat: 'png' }),
  async saw({ outputs, report }, { model }) {
    if (report.model !== model) return { problem: `${report.model} did it` }
    const alpha = await sharp(outputs[0].path).extractChannel(3).raw().toBuffer()
    const share = (is) => percent(alpha.reduce((sum, value) => sum + Number(is(value)), 0) / alpha.length)
    return {
      saw: `subject ${share((value) => value >= 128)}, in between ${share((value) => value > 12 && value < 243)}`,
    }
  },
}

const enlarged = {
  tool: 'image/upscale',
  async make(picture, folder, model) {
    const { path, width, height } = await middle(picture, folder)
    const { scale } = ENLARGERS[model]
    const small = join(folder, 'small.png')
    await sharp(path)
      .resize(width / scale, height / scale, { kernel: 'cubic' })
      .toFile(small)
    return { input: small, reference: path, width, height }
  },
  settings: (model) => ({ ...ENLARGERS[model], format: 'png' }),
  async saw({ outputs, report }, { made: { input, reference, width, height } }) {
    if (report.method === 'lanczos') return { problem: 'it was enlarged without a network' }
    const [truth, own] = [await raw(reference), await raw(outputs[0].path)]
    const plain = await sharp(input).resize(width, height, { kernel: 'lanczos3' }).removeAlpha().raw().toBuffer()
    return { saw: `PSNR ${over(decibels(own, truth), decibels(plain, truth))} over Lanczos` }
  },
}

const denoised = {
  tool: 'image/noise-removal',
  async make(picture, folder) {
    const { path, width, height } = await middle(picture, folder)
    const samples = await raw(path)
    const noise = noiseOf(samples.length, 20)
    const noisy = Buffer.from(samples.map((value, at) => Math.min(255, Math.max(0, value + noise(at)))))
    const input = join(folder, 'noisy.png')
    await sharp(noisy, { raw: { width, height, channels: 3 } })
      .png()
      .toFile(input)
    return { input, reference: path }
  },
  settings: () => ({ tier: 'maximum', colorNoise: 100, format: 'png' }),
  async saw({ outputs }, { made: { input, reference } }) {
    const truth = await raw(reference)
    const [own, noisy] = [decibels(await raw(outputs[0].path), truth), decibels(await raw(input), truth)]
    return { saw: `PSNR ${over(own, noisy)} over the noisy picture (deviation 20)` }
  },
}

const colourful = {
  tool: 'image/colorize',
  async make(picture, folder) {
    const input = join(folder, 'grey.png')
    await sharp(picture).greyscale().toColourspace('b-w').png().toFile(input)
    return { input, reference: picture }
  },
  settings: (model) => ({ model: model === 'ddcolor-tiny' ? 'ddcolor' : 'opencv' }),
  async saw({ outputs }, { made: { reference, input } }) {
    const lab = await sharp(outputs[0].path).toColourspace('lab').removeAlpha().raw({ depth: 'float' }).toBuffer()
    const values = new Float32Array(lab.buffer, lab.byteOffset, lab.length / 4)
    let chroma = 0
    for (let at = 0; at < values.length; at += 3) chroma += Math.hypot(values[at + 1], values[at + 2])
    const truth = await raw(reference)
    const own = decibels(await raw(outputs[0].path), truth)
    return {
      saw: `mean chroma ${(chroma / (values.length / 3)).toFixed(1)}, PSNR ${over(own, decibels(await raw(input), truth))} over grey`,
    }
  },
}

const filled = {
  tool: 'image/erase-object',
  async make(picture, folder) {
    const { path, width, height } = await middle(picture, folder)
    const disc = `<circle cx="${width / 2}" cy="${height / 2}" r="${Math.min(width, height) / 8}" fill="#fff"/>`
    const [mask, input] = [join(folder, 'mask.png'), join(folder, 'holed.png')]
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${disc}</svg>`
    await sharp(Buffer.from(svg)).flatten({ background: '#000' }).png().toFile(mask)
    await sharp(path)
      .composite([{ input: Buffer.from(svg.replace('#fff', '#f0f')) }])
      .png()
      .toFile(input)
    return { input, reference: path, secondary: { mask } }
  },
  settings: () => ({ format: 'png' }),
  async saw({ outputs, report }, { made: { input, reference, secondary } }) {
    const inMask = await raw(secondary.mask)
    const of = async (path) => (await raw(path)).filter((_, at) => inMask[at] >= 128)
    const truth = await of(reference)
    const own = decibels(await of(outputs[0].path), truth)
    return {
      saw: `${report?.method ?? ''}: the hole ${over(own, decibels(await of(input), truth))} over what was there`,
    }
  },
}

const faces = {
  drawing: 'portrait',
  tool: 'image/blur-faces',
  settings: () => ({}),
  saw: ({ report }) => ({ saw: `${report.facesDetected} faces` }),
}
const eyes = {
  drawing: 'portrait',
  tool: 'image/red-eye-removal',
  settings: () => ({}),
  saw: ({ report }) => ({ saw: `${report.facesDetected} faces, ${report.eyesCorrected} red eyes` }),
}
const restoredFaces = {
  drawing: 'portrait',
  tool: 'image/enhance-faces',
  settings: (model) => ({ model: model === 'codeformer' ? 'codeformer' : 'gfpgan', strength: 1 }),
  async saw({ outputs, report }, { picture }) {
    const changed = decibels(await raw(outputs[0].path), await raw(picture))
    return { saw: `${report.facesDetected} faces by ${report.model}, ${changed.toFixed(1)} dB from what was there` }
  },
}

/** A page with known text; on the user's own pictures only characters are counted. */
const read = (options, turn = 0) => ({
  tool: 'image/ocr',
  async make(picture, folder) {
    if (picture) return { input: picture }
    const lines = Array.from({ length: LINES }, (_, at) => `<text x="40" y="${70 + at * 50}">${PAGE}</text>`)
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="${60 + LINES * 50}" font-family="sans-serif" font-size="30">${lines.join('')}</svg>`
    const page = await sharp(Buffer.from(svg)).flatten({ background: '#fff' }).png().toBuffer()
    const input = join(folder, 'page.png')
    await sharp(page).rotate(turn).toFile(input)
    return { input, truth: Array(LINES).fill(PAGE).join(' ') }
  },
  drawing: '',
  settings: (model) => ({ ...options, ...(model in TESSERACT && { language: TESSERACT[model] }) }),
  saw({ report }, { made: { truth } }) {
    const text = report.text.replace(/\s+/g, ' ').trim()
    const errors = truth ? `, ${percent(errorRate(text, truth))} of them wrong` : ''
    return { saw: `${text.length} characters by ${report.modelVersion}${errors}` }
  },
})

/** Pages of clean print, where no line may be missing. */
const readPages = (options) => ({
  ...read(options),
  drawings: PAGES,
  async make(picture, folder) {
    return PAGES.includes(picture) ? drawPage(picture, folder) : { input: picture }
  },
  saw({ report }, { made: { lines } }) {
    const text = report.text.replace(/\s+/g, ' ').trim()
    const seen = `${text.length} characters by ${report.modelVersion}`
    if (!lines) return { saw: seen }
    const missing = missingLines(report.text, lines)
    if (missing.length > 0) return { problem: `lines are missing: ${missing.join(' | ')}` }
    return { saw: `${seen}, all ${lines.length} lines, ${percent(errorRate(text, lines.join(' ')))} of them wrong` }
  },
})

const spoken = {
  tool: 'audio/transcribe-audio',
  takes: 'audio',
  settings: () => ({}),
  saw({ outputs, report }) {
    const text = readFileSync(outputs[0].path, 'utf8').trim()
    return { saw: `${text.length} characters, ${report.language}: ${text.slice(0, 60)}` }
  },
}

/** Models of one kind with their checks; only the checked model stays enabled. */
const ROWS = [
  { models: MATTES, check: matte },
  { models: Object.keys(ENLARGERS), check: enlarged },
  { models: ['scunet-color-real-psnr'], check: denoised },
  { models: ['ddcolor-tiny', 'colorization-eccv16'], check: colourful },
  { models: ['lama', 'migan-512-places2'], check: filled },
  { models: ['yunet-2023mar', 'yunet-n'], check: faces },
  { models: ['openseeface-lm66'], check: eyes },
  { models: ['gfpgan-1.4', 'codeformer'], check: restoredFaces },
  { models: READERS.slice(0, 2), check: readPages({ quality: 'best' }), rivals: [] },
  { models: READERS.slice(2), check: readPages({ quality: 'balanced' }), rivals: [] },
  { models: ['ppocrv5-rec-korean'], check: read({ quality: 'balanced', language: 'ko' }) },
  { models: SMALL_READERS, check: readPages({ quality: 'balanced' }), rivals: READERS },
  { models: ['ppocr-cls-v2', 'pp-lcnet-textline-ori', 'pp-lcnet-doc-ori'], check: read({}, 180) },
  { models: [...Object.keys(TESSERACT)], check: read({ quality: 'fast' }), rivals: [] },
  { models: SPEECH, check: spoken },
  { models: ['silero-vad', 'silero-vad-v5'], check: spoken },
]

/** The check of a model, and the models to disable for it; undefined if no tool uses it on its own. */
export function checkOf(id) {
  const row = ROWS.find(({ models }) => models.includes(id))
  return row && { ...row.check, rivals: (row.rivals ?? row.models).filter((one) => one !== id) }
}

/** Writes substitutes for the user's own pictures. */
export async function drawPicture(svg, path) {
  writeFileSync(path, await sharp(Buffer.from(svg)).flatten({ background: '#fff' }).jpeg({ quality: 95 }).toBuffer())
}
