/**
 * Build step: unpacks the fonts of the @fontsource packages (WOFF) to TrueType, puts the slices of Chinese, Japanese and
 * Korean together, and writes the fontconfig configuration that names ours first and the system's after them.
 */
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { shippedFontsFolder } from '../../engines/fonts.ts'
import { makeFolder } from '../../make-folder.ts'
import { fontConfiguration } from './font-configuration.ts'
import { mergeSlices, readCharacters, withoutCharacters } from './font-merge.ts'
import { type FontTables, readWoff, withName, writeTrueType } from './font-tables.ts'

const TARGET = shippedFontsFolder()

/** Packages of which every file is one font, and the weights that are shipped. */
const PLAIN: Readonly<Record<string, readonly number[]>> = {
  'noto-sans': [400, 700],
  'noto-sans-arabic': [400, 700],
  'noto-sans-hebrew': [400, 700],
  'noto-sans-thai': [400, 700],
  'noto-sans-mono': [400, 700],
  'noto-sans-math': [400],
  anton: [400],
  'bebas-neue': [400],
  'comic-neue': [400, 700],
  montserrat: [400, 700, 900],
  'permanent-marker': [400],
  roboto: [400, 700, 900],
}

/** Letters that Noto Sans itself has. */
const DOUBLE = /^noto-sans-(arabic|hebrew|thai)-(latin|latin-ext|cyrillic-ext|greek-ext)-/

/** Packages that come in slices, with the subset that is the largest part. In the order in which a character is taken. */
const SLICED: readonly (readonly [name: string, subset: string])[] = [
  ['noto-sans-sc', 'chinese-simplified'],
  ['noto-sans-jp', 'japanese'],
  ['noto-sans-kr', 'korean'],
]

/** In colour by its COLR tables, which Pango draws; the same as SVG would be another 20 MB. */
const EMOJI = 'noto-color-emoji'

const folderOf = (name: string): string =>
  dirname(createRequire(import.meta.url).resolve(`@fontsource/${name}/package.json`))

async function familyOf(name: string): Promise<string> {
  const { family } = JSON.parse(await readFile(join(folderOf(name), 'metadata.json'), 'utf8')) as { family: string }
  return family
}

const read = async (name: string, file: string): Promise<FontTables> =>
  readWoff(await readFile(join(folderOf(name), 'files', file)))

async function write(file: string, tables: FontTables, name: string, weight: number): Promise<void> {
  const font = writeTrueType(withName(tables, await familyOf(name), weight))
  await writeFile(join(TARGET, file.replace(/woff$/, 'ttf')), font)
}

async function writePlain(name: string, weights: readonly number[]): Promise<void> {
  for (const file of await readdir(join(folderOf(name), 'files'))) {
    const weight = weights.find((one) => file.endsWith(`-${one}-normal.woff`))
    if (weight && !DOUBLE.test(file)) await write(file, await read(name, file), name, weight)
  }
}

/** @param covered code points that the fonts before have; gets those of this one */
async function writeSliced(name: string, subset: string, covered: Set<number>): Promise<void> {
  const files = await readdir(join(folderOf(name), 'files'))
  const slices = files.filter((file) => /-\d+-400-normal\.woff$/.test(file))
  const base = await read(name, `${name}-${subset}-400-normal.woff`)
  const merged = mergeSlices(base, await Promise.all(slices.map((file) => read(name, file))), covered)
  for (const point of readCharacters(merged).keys()) covered.add(point)
  await write(`${name}-400-normal.ttf`, merged, name, 400)
}

await rm(TARGET, { recursive: true, force: true })
await makeFolder(TARGET)
for (const [name, weights] of Object.entries(PLAIN)) await writePlain(name, weights)
const covered = new Set<number>()
for (const [name, subset] of SLICED) await writeSliced(name, subset, covered)
const emoji = await read(EMOJI, `${EMOJI}-emoji-400-normal.woff`)
emoji.delete('SVG ')
// A blank between two emoji would be as wide as they are.
await write(`${EMOJI}-400-normal.ttf`, withoutCharacters(emoji, [0x20]), EMOJI, 400)
for (const name of [...Object.keys(PLAIN), ...SLICED.map(([one]) => one), EMOJI])
  await copyFile(join(folderOf(name), 'LICENSE'), join(TARGET, `LICENSE-${name}.txt`))
await writeFile(join(TARGET, 'fonts.conf'), fontConfiguration())
