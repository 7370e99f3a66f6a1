/** Kinds of damage to a PDF with a classic cross-reference table. */
type Change = (text: string) => string

/** The offset of the cross-reference table. */
const tableOf = (text: string): number => Number(/startxref\s+(\d+)/.exec(text)![1])

/** Changes the part from the cross-reference table on. */
const inTail =
  (change: Change): Change =>
  (text) =>
    text.slice(0, tableOf(text)) + change(text.slice(tableOf(text)))

const numbers = (text: string, change: (offset: number) => number): string =>
  text.replace(
    /(\d{10})( \d{5} n)/g,
    (_whole, offset: string, rest: string) => `${String(change(Number(offset))).padStart(10, '0')}${rest}`,
  )

/** All pages exist: readers open these, and so do we. */
export const HARMLESS: Readonly<Record<string, Change>> = {
  'a mark of the end that is cut': (text) => text.slice(0, -5),
  'a wrong startxref': (text) => text.replace(/startxref\s+\d+/, 'startxref\n17'),
  'all offsets wrong': inTail((tail) => numbers(tail, (offset) => offset + 7)),
  'a count of entries that is wrong': inTail((tail) => tail.replace(/xref\s+0 \d+/, 'xref\n0 999')),
  'no endobj': (text) => text.replaceAll('endobj', ''),
  'one endobj missing': (text) => text.replace('endobj', ''),
  'lengths too short': (text) => text.replace(/\/Length \d+/g, '/Length 3'),
  'lengths too long': (text) => text.replace(/\/Length \d+/g, '/Length 99999'),
  'lengths below 0': (text) => text.replace(/\/Length \d+/g, '/Length -5'),
  'no lengths': (text) => text.replace(/\/Length \d+/g, ''),
  'a catalogue without its type': (text) => text.replace('/Type /Catalog', ''),
  'pages without their type': (text) => text.replace(/\/Type \/Page\b(?!s)/g, ''),
  'a tree without its type': (text) => text.replace('/Type /Pages', ''),
  'a count of pages too small': (text) => text.replace(/\/Count \d+/, '/Count 1'),
  'no count of pages': (text) => text.replace(/\/Count \d+/, ''),
  'no size': inTail((tail) => tail.replace(/\/Size \d+/, '')),
  'a size too small': inTail((tail) => tail.replace(/\/Size \d+/, '/Size 3')),
  'no paper': (text) => text.replace(/\/MediaBox \[[^\]]*\]/g, ''),
  'paper of words': (text) => text.replace(/\/MediaBox \[[^\]]*\]/g, '/MediaBox [ 0 /x (y) null ]'),
  'a null among the pages': (text) => text.replace('/Kids [', '/Kids [ null '),
  'a number among the pages': (text) => text.replace('/Kids [', '/Kids [ 42 '),
  'a tree within itself': (text) =>
    text.replace(/(\d+) 0 obj\s*<<\s*\/Type \/Pages\s*\/Kids \[/, (whole, number) => `${whole} ${number} 0 R `),
  'no parents': (text) => text.replace(/\/Parent \d+ 0 R/g, ''),
  'parents that are numbers': (text) => text.replace(/\/Parent \d+ 0 R/g, '/Parent 7'),
  'blanks behind the end': (text) => text + ' '.repeat(3000),
  'annotations that are a number': (text) => text.replace(/\/Annots \[[^\]]*\]/, '/Annots 9'),
  'annotations that are none': (text) => text.replace(/\/Annots \[/, '/Annots [ null 7 (x) '),
  'a form that is a number': (text) => text.replace(/\/AcroForm \d+ 0 R/, '/AcroForm 3'),
  'a catalogue of nonsense': (text) =>
    text.replace(
      '/Type /Catalog',
      '/Type /Catalog /Names 5 /Dests (x) /PageLabels 7 /StructTreeRoot 4 /OCProperties 3 /Metadata 9 /Old 4',
    ),
  'pages of nonsense': (text) =>
    text.replace(/\/Type \/Page\b(?!s)/g, '/Type /Page /Rotate (x) /CropBox [1 2] /Group 4'),
}

/** A part is missing: these are refused. */
export const HARMFUL: Readonly<Record<string, Change>> = {
  'a trailer that is cut': (text) => text.slice(0, text.lastIndexOf('trailer') + 12),
  'no table and no trailer': (text) => text.slice(0, tableOf(text)),
  'no startxref': (text) => text.replace(/startxref\s+\d+\s+/, ''),
  'a count of pages too large': (text) => text.replace(/\/Count \d+/, '/Count 99'),
  'half of a file': (text) => text.slice(0, text.length / 2),
  'a page that is not there': (text) => text.replace('/Kids [', '/Kids [ 999 0 R '),
  'content that is a number': (text) => text.replace(/\/Contents /g, '/Contents 5 /Old '),
  'a catalogue that is gone': inTail((tail) => tail.replace(/\/Root \d+ 0 R/, '/Root 999 0 R')),
}
