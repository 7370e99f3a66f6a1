// Character error rates of `ocr` and of `tesseract` on drawn pages in several languages, and on pages of columns.
// node bench/ocr-languages.mjs [LANGUAGE or columns] [show]
// Needs the fonts of Debian's fonts-dejavu, fonts-liberation and fonts-ipafont-gothic, and Tesseract's data.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { run } from '../dist/src/index.js'
import { errorRate } from './ocr-pages.mjs'

const LATIN_FONTS = ['DejaVu Sans', 'Liberation Serif']

/** Ordinary letters and notices, with the letters and signs of their language. */
const TEXTS = {
  en: [
    ['eng', LATIN_FONTS],
    'Dear Ms. Hartley, thank you for your letter of 12 March.',
    'The parcel was sent on Monday, but left the depot only on',
    'Thursday, since the address had been read wrongly. Please',
    'accept our apologies. The amount of £48.90 is credited.',
    'If you have any other question, do write to us again.',
  ],
  de: [
    ['deu', LATIN_FONTS],
    'Sehr geehrte Frau Müller, vielen Dank für Ihr Schreiben.',
    'Über die Größe der Türen können wir leider nichts sagen,',
    'weil die Maße im Anhang fehlen. Bitte prüfen Sie außerdem,',
    'ob die Straße gesperrt ist. Der Preis beträgt 1.250,00 €.',
    'Mit freundlichen Grüßen aus Österreich, Jürgen Weiß',
  ],
  fr: [
    ['fra', LATIN_FONTS],
    'Madame, Monsieur, nous vous remercions de votre réponse.',
    'La commande a été expédiée à Besançon le 3 août, où elle',
    'sera reçue dès que possible. Le goût du café est très léger,',
    'mais la crème brûlée et les pâtes sont déjà prêtes.',
    'Où êtes-vous ? Ça coûte 48,90 € par personne, bien sûr.',
  ],
  es: [
    ['spa', LATIN_FONTS],
    '¿Dónde está la estación? El señor Núñez llegó ayer por la',
    'mañana con su compañero. Después comió jamón y piñones.',
    'El precio de la habitación es de 75,50 € más impuestos.',
    'Mañana habrá una reunión en el salón, ¡no faltes! Según el',
    'informe, la situación económica mejoró el año pasado.',
  ],
  ru: [
    ['rus', LATIN_FONTS],
    'Уважаемая Анна Сергеевна, благодарим Вас за письмо.',
    'Посылка отправлена в понедельник, но вышла со склада',
    'только в четверг, потому что адрес был прочитан неверно.',
    'Стоимость доставки составляет 1250 рублей. Если у Вас',
    'есть вопросы, пишите нам ещё раз. С уважением, Пётр.',
  ],
  ja: [
    ['jpn', ['IPAGothic']],
    'お問い合わせありがとうございます。',
    '荷物は月曜日に発送されましたが、住所の',
    '読み間違いのため、木曜日に届きました。',
    'ご迷惑をおかけして申し訳ございません。',
    '新しいラベルを印刷しました。',
  ],
}

/** Words of the columns, in the order in which they are read. */
const STORY =
  'The river rises in the hills behind the old town and runs for nine miles through meadows and woods before it reaches the mill. In spring the water is high and brown, and the fields on both sides are under water for weeks. In summer children cross it on stones without wet feet. The mill was built by a family of bakers who needed a wheel that would turn in any season, so they dug a pond above it and let the water in at night. The pond is still there, with ducks and a boat that nobody uses. The wheel was sold long ago, and the house is a school today. On market days the teachers lead the pupils along the bank, past the three bridges, to the square where farmers sell cheese, apples and honey until the bells ring at noon.'.split(
    ' ',
  )

/** Lines of a width in letters. */
function wrapped(words, width) {
  const lines = ['']
  for (const word of words) {
    if (lines.at(-1).length + word.length + 1 > width && lines.at(-1) !== '') lines.push('')
    const last = lines.pop()
    lines.push(last === '' ? word : `${last} ${word}`)
  }
  return lines
}

/** Pages of columns: justified lines, so that the gutter is narrow; with and without a heading across. */
function columnPage(count, gutter, heading) {
  const [width, margin, size, leading] = [1600, 80, 26, 36]
  const across = (width - 2 * margin - (count - 1) * gutter) / count
  const lines = wrapped(STORY, Math.floor(across / (size * 0.47)))
  const each = Math.ceil(lines.length / count)
  const rows = lines.map((line, at) => {
    const [x, y] = [margin + Math.floor(at / each) * (across + gutter), 190 + (at % each) * leading]
    const isLast = at % each === each - 1 || at === lines.length - 1
    const fit = isLast ? '' : ` textLength="${across}" lengthAdjust="spacing"`
    return `<text x="${x}" y="${y}" font-size="${size}"${fit}>${line}</text>`
  })
  const title = heading ? `<text x="${margin}" y="110" font-size="52">${heading}</text>` : ''
  const height = 240 + each * leading
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="Liberation Serif">${title}${rows.join('')}</svg>`
  return { svg, text: [...(heading ? [heading] : []), ...lines].join(' ') }
}

const plain = (text) => text.replace(/\s+/g, ' ').trim()
const dense = (text) => text.replace(/\s+/g, '')

const args = process.argv.slice(2)
const only = args.find((one) => one !== 'show')
const folder = await mkdtemp(join(tmpdir(), 'mediaproc-ocr-'))

async function put(name, svg) {
  const path = join(folder, name)
  await sharp(Buffer.from(svg)).flatten({ background: '#fff' }).png().toFile(path)
  return path
}
async function read(path, settings) {
  const result = await run('image/ocr', path, settings, { outputDir: folder, force: true })
  return result.report
}
const rival = (path, language) =>
  execFileSync('tesseract', [path, 'stdout', '-l', language], { stdio: ['ignore', 'pipe', 'ignore'] }).toString()

const rows = {}
const add = (name, row) => {
  rows[name] = row
  console.error(name, JSON.stringify(row))
}
try {
  for (const [language, [[data, fonts], ...lines]] of Object.entries(TEXTS)) {
    if (only && only !== language) continue
    const normal = language === 'ja' ? dense : plain
    for (const font of fonts) {
      const texts = lines.map((line, at) => `<text x="60" y="${80 + at * 64}">${line}</text>`).join('')
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1400" height="460" font-family="${font}" font-size="34">${texts}</svg>`
      const path = await put(`${language}-${fonts.indexOf(font)}.png`, svg)
      const truth = normal(lines.join(language === 'ja' ? '' : ' '))
      const row = {}
      for (const [name, settings] of [
        ['auto', {}],
        ['given', { language }],
        ['fast', { quality: 'fast' }],
      ]) {
        try {
          const report = await read(path, settings)
          row[name] = errorRate(normal(report.text), truth).toFixed(3)
          if (name === 'auto') row.model = report.modelVersion
          if (args.includes('show')) console.log(name, report.text, report.warnings)
        } catch (error) {
          row[name] = `${error.message} ${error.detail}`
        }
      }
      row.tesseract = errorRate(normal(rival(path, data)), truth).toFixed(3)
      add(`${language}, ${font}`, row)
    }
  }
  for (const [count, gutter, heading] of only && only !== 'columns'
    ? []
    : [
        [2, 60, 'The mill by the river'],
        [2, 24, ''],
        [3, 40, 'The mill by the river'],
        [3, 24, ''],
      ]) {
    const { svg, text } = columnPage(count, gutter, heading)
    const path = await put(`columns-${count}-${gutter}.png`, svg)
    const row = {}
    for (const [name, settings] of [
      ['auto', {}],
      ['fast', { quality: 'fast' }],
    ])
      row[name] = errorRate(plain((await read(path, settings)).text), text).toFixed(3)
    row.tesseract = errorRate(plain(rival(path, 'eng')), text).toFixed(3)
    add(`${count} columns, gutter ${gutter} px${heading ? ', heading' : ''}`, row)
  }
  console.table(rows)
} finally {
  await rm(folder, { recursive: true, force: true })
}
