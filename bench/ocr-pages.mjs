// Clean pages of 14 lines for `npm run models:check`: a reader must find every line, for any text and font.
import { join } from 'node:path'
import sharp from 'sharp'

/** A4 landscape at about 120 dpi, with 12 point print; in px. */
const [WIDTH, HEIGHT] = [1400, 1000]
const [LETTERS, LEADING] = [34, 64]
const FONTS = ['DejaVu Sans', 'DejaVu Serif', 'DejaVu Sans Mono', 'Liberation Sans']

/** A line is missing if more than this part of it must be edited to get the nearest line that was read. */
const MOST_WRONG = 0.3

const TEXTS = {
  letter: [
    'Dear Ms. Hartley, thank you for your letter of 12 March.',
    'We have looked into the matter and found that the',
    'parcel was sent on Monday but left the depot only on',
    'Thursday, since the address had been read wrongly.',
    'Please accept our apologies for the delay.',
    'A new label was printed and the goods are on the way.',
    'You can follow them with the number 4471-0093-218.',
    'Should they not arrive by Friday, call 020 7946 0018.',
    'We will then send everything again at our expense.',
    'The amount of 48.90 is credited to your account.',
    'It may take up to five working days to appear.',
    'If you have any other question, do write to us.',
    'With kind regards,',
    'Thomas Weller, Customer Service',
  ],
  invoice: [
    'INVOICE 2026-0042',
    'Date: 14 May 2026',
    'Customer: Brightwater Ltd, 17 Mill Lane, Leeds',
    'Pos Article Quantity Price Total',
    '1 Steel bracket 40 mm 12 3.20 38.40',
    '2 Wood screw 5 x 60 200 0.08 16.00',
    '3 Hinge, brass 6 4.75 28.50',
    '4 Sandpaper, grade 120 10 0.90 9.00',
    'Subtotal 91.90',
    'VAT 20 % 18.38',
    'Total due 110.28',
    'Payable within 30 days without deduction.',
    'Bank: Northern Trust, account 30112244',
    'Thank you for your order.',
  ],
  numbers: Array.from({ length: 14 }, (_, at) => `line number ${at + 1} of this page has some ordinary words in it`),
  capitals: Array.from({ length: 14 }, (_, at) => `SECTION ${at + 1}: TERMS AND CONDITIONS OF SALE APPLY`),
  short:
    'One,Two apples,Three,Four score and seven,Five,Six,Seven days,Eight,Nine lives,Ten,Eleven,Noon,Night,The end'.split(
      ',',
    ),
}

/** The pages by name. */
export const PAGES = Object.keys(TEXTS).flatMap((text) => FONTS.map((font) => `${text} in ${font}`))

/** Draws a page. @returns its path and its lines */
export async function drawPage(name, folder) {
  const [text, font] = name.split(' in ')
  const lines = TEXTS[text]
  const rows = lines.map((line, at) => `<text x="60" y="${80 + at * LEADING}">${line}</text>`).join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="${font}" font-size="${LETTERS}">${rows}</svg>`
  const input = join(folder, 'page.png')
  await sharp(Buffer.from(svg)).flatten({ background: '#fff' }).png().toFile(input)
  return { input, lines }
}

/** Edit distance of two texts per character of the second (Levenshtein). */
export function errorRate(read, truth) {
  let row = Array.from({ length: truth.length + 1 }, (_, at) => at)
  for (let from = 1; from <= read.length; from += 1) {
    const next = [from]
    for (let to = 1; to <= truth.length; to += 1)
      next[to] = Math.min(row[to] + 1, next[to - 1] + 1, row[to - 1] + (read[from - 1] === truth[to - 1] ? 0 : 1))
    row = next
  }
  return row[truth.length] / truth.length
}

/** Lines of a page that are missing in a text; each read line matches one line, best match first. */
export function missingLines(text, lines) {
  const read = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim())
  const pairs = lines
    .flatMap((line, at) => read.map((one, from) => ({ at, from, rate: errorRate(one, line) })))
    .filter(({ rate }) => rate <= MOST_WRONG)
    .sort((one, other) => one.rate - other.rate)
  const [found, used] = [new Set(), new Set()]
  for (const { at, from } of pairs) {
    if (found.has(at) || used.has(from)) continue
    found.add(at)
    used.add(from)
  }
  return lines.filter((_, at) => !found.has(at))
}
