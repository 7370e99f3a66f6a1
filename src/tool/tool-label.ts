import { typeOfName } from '../media/type.ts'

const upper = (word: string): readonly [string, string] => [word, word.toUpperCase()]

/** Words in ids that are not written like ordinary words. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['ai', 'csv', 'docx', 'epub', 'fps', 'gif', 'hls', 'html', 'json', 'lqip', 'ocr'].map(upper)),
  ...Object.fromEntries(['pdf', 'qr', 'svg', 'url', 'xml', 'yaml', 'zip'].map(upper)),
  ...{ csvs: 'CSVs', excel: 'Excel', markdown: 'Markdown', nup: 'N-up', pdfa: 'PDF/A', powerpoint: 'PowerPoint' },
  ...{ webm: 'WebM', webp: 'WebP', word: 'Word' },
}

const SIZE = /^(\d+)(kb|mb)$/

/** A word of an id as labels show it; `types` are those that a conversion names. */
function spelt(word: string, types: ReadonlySet<string>): string {
  const size = SIZE.exec(word)
  if (size) return `${size[1]} ${size[2] === 'kb' ? 'kB' : 'MB'}`
  return SPELLINGS[word] ?? (types.has(word) ? word.toUpperCase() : word)
}

/**
 * The label of a tool or preset: `merge-pdf` is `Merge PDF`, `jpg-to-webp` is `JPG to WebP`.
 * In presets, file types are in capitals; elsewhere such words can have another meaning.
 */
export function toolLabel({ id, base }: { id: string; base?: string | undefined }): string {
  const words = id.split('-')
  const types = new Set(base === undefined ? [] : words.filter((word) => typeOfName(`x.${word}`) !== undefined))
  return capital(words.map((word) => spelt(word, types)).join(' '))
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
