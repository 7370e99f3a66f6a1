// Properties of a PDF that a tool must preserve, read with poppler and qpdf.
import { json, lostText, output } from './program.mjs'

const listed = async (program, ...args) => ((await output(program, ...args)) ?? '').trim().split('\n')
const fewer = (words) => ({ words, lost: (a, b) => a > b })

export const FACTS = [
  { name: 'pages', words: /page/i, lost: (a, b) => a !== b },
  { name: 'page sizes', words: /size|scaled|page/i, lost: (a, b) => !sameSizes(a, b) },
  {
    name: 'words',
    words: /text|word|glyph|font|part|field|note|script|link/i,
    lost: (a, b) => a && b && lostText(a, b).length > 0 && lostText(a, b),
  },
  {
    name: 'added words',
    words: /text|word|font|field|note/i,
    lost: (a, b) => a && b && lostText(b, a).length > 0 && lostText(b, a),
  },
  { name: 'images', ...fewer(/image|picture/i) },
  { name: 'annotations', ...fewer(/annotation|note|link|comment|field|form/i) },
  { name: 'form fields', words: /field|form/i, lost: (a, b) => (a ?? '') !== (b ?? '') },
  { name: 'outline', ...fewer(/bookmark|outline/i) },
  { name: 'attachments', ...fewer(/attach/i) },
  { name: 'page labels', ...fewer(/label/i) },
  {
    name: 'metadata',
    words: /metadata|title|author|propert/i,
    lost: (a = {}, b = {}) => {
      const gone = Object.keys(a).filter((key) => a[key] !== b[key])
      return gone.length > 0 && gone
    },
  },
  { name: 'encryption', words: /encrypt|protect|password/i, lost: (a, b) => a && !b },
  { name: 'tagged', words: /tag|screen reader/i, lost: (a, b) => a && !b },
  { name: 'javascript', words: /script/i, lost: (a, b) => a && !b },
  { name: 'archival', words: /PDF\/A/i, lost: (a, b) => a && !b },
  // A copy of a damaged file is equally damaged.
  { name: 'structure', words: /$^/, lost: (a, b) => b !== undefined && b !== 'ok' && b !== a && b },
]

/** Entries of the information dictionary, and their XMP names in exiftool, used by PDF/A. */
const XMP_NAMES = { Title: 'Title', Subject: 'Description', Keywords: 'Keywords', Author: 'Creator' }

const asText = (value) => (Array.isArray(value) ? value.join(', ') : value === undefined ? undefined : String(value))

/** Rounding differences between programs, in points. */
const SIZE_TOLERANCE = 0.1

/** Whether the page sizes are unchanged; the pages of one input may occur several times (merge). */
function sameSizes(before, after) {
  const numbers = (sizes) =>
    sizes.map((size) => size.split(' x ').map(Number)).sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const times = after.length / before.length
  if (!Number.isInteger(times)) return false
  const expected = numbers(before.flatMap((size) => Array(times).fill(size)))
  return numbers(after).every(([width, height], index) =>
    [width - expected[index][0], height - expected[index][1]].every(
      (difference) => Math.abs(difference) < SIZE_TOLERANCE,
    ),
  )
}

/** Properties of a PDF; undefined if poppler cannot open it. */
export async function factsOf(path) {
  const info = await output('pdfinfo', path)
  if (info === undefined) return undefined
  const row = (name) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(info)?.[1]
  const pages = Number(row('Pages'))
  const [text, about, images, attached] = await Promise.all([
    output('pdftotext', '-enc', 'UTF-8', path, '-'),
    json('qpdf', '--json=1', '--json-key=acroform', '--json-key=outlines', '--json-key=pagelabels', path),
    listed('pdfimages', '-list', path),
    listed('pdfdetach', '-list', path),
  ])
  const xmp = await json('exiftool', '-j', '-XMP:all', path)
  const boxes = await output('pdfinfo', '-f', '1', '-l', String(Math.min(pages, 50)), path)
  const objects = await json('qpdf', '--json=1', '--json-key=objects', path)
  const kinds = Object.values(objects?.objects ?? {}).filter(
    (one) => one?.['/Type'] === '/Annot' || one?.['/Subtype'] === '/Link',
  )
  const damage = ((await output('qpdf', '--check', path)) ?? 'qpdf --check fails').match(
    /^qpdf --check fails$|ERROR.*/m,
  )?.[0]
  return {
    pages,
    'page sizes': (boxes?.match(/^Page\s+\d+ size:.*$/gm) ?? []).map((line) => line.match(/[\d.]+ x [\d.]+/)?.[0]),
    words: text,
    'added words': text,
    images: Math.max(0, images.length - 2),
    annotations: kinds.length,
    'form fields': (about?.acroform?.fields ?? [])
      .map(({ fullname, value }) => `${fullname}=${value ?? ''}`)
      .sort()
      .join(';'),
    outline: countOutline(about?.outlines),
    attachments: Number(/^(\d+)/.exec(attached[0] ?? '')?.[1] ?? 0),
    'page labels': (about?.pagelabels ?? []).length,
    metadata: Object.fromEntries(
      Object.entries(XMP_NAMES).flatMap(([name, inXmp]) => {
        const value = row(name) || asText(xmp?.[0]?.[inXmp])
        return value ? [[name, value]] : []
      }),
    ),
    encryption: /^yes/.test(row('Encrypted') ?? ''),
    tagged: row('Tagged') === 'yes',
    javascript: row('JavaScript') === 'yes',
    archival: /PDF\/A/.test(row('PDF subtype') ?? ''),
    structure: damage ?? 'ok',
  }
}

function countOutline(items = []) {
  return items.reduce((sum, item) => sum + 1 + countOutline(item.kids), 0)
}
