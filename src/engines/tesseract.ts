import type { Engine, EngineStatus } from './engine.ts'
import { runProgram } from './process/process.ts'
import { findProgram } from './process/programs.ts'

export const findTesseractProgram = () => findProgram({ environment: 'MEDIAPROC_TESSERACT', names: ['tesseract'] })

/** An image of dense print produces about 100 bytes per word. */
const MAX_OUTPUT = 64 * 1024 * 1024

/** One word as reported by Tesseract; px of the image. */
export interface TesseractWord {
  text: string
  /** 0 to 1. */
  confidence: number
  left: number
  top: number
  width: number
  height: number
  /** Its line, identified by block, paragraph and line. */
  line: string
}

/** The orientation of a page. */
export interface TesseractOrientation {
  /** Clockwise rotation that makes it upright, degrees. */
  rotate: number
  confidence: number
  /** Latin, Han, Japanese, Korean, Cyrillic … */
  script: string
}

interface TesseractOptions {
  signal: AbortSignal
  /** The folder with the language data; the program's own by default. */
  data?: string | undefined
}

/** The program and its capabilities; undefined if it is not installed. */
export interface TesseractProgram {
  path: string
  version: string
  /** Its installed languages, by Tesseract's names: eng, chi_sim. */
  languages: readonly string[]
  /** The location of their data, if reported. */
  data?: string
}

async function lookAt(path: string): Promise<TesseractProgram> {
  const about = await runProgram(path, ['--version'], { what: 'tesseract' })
  const list = await runProgram(path, ['--list-langs'], { what: 'tesseract', allowExit: [0, 1] })
  const [head = '', ...languages] = `${list.stdout}${list.stderr}`.split(/\r?\n/)
  const version = /tesseract v?([\d.]+)/.exec(`${about.stdout}${about.stderr}`)?.[1] ?? ''
  const data = /"(.+?)\/?"/.exec(head)?.[1]
  const names = languages.map((line) => line.trim()).filter((line) => /^[\w/-]+$/.test(line))
  return { path, version, languages: names, ...(data && { data }) }
}

const known = new Map<string, Promise<TesseractProgram>>()

/** The system's Tesseract, detected once. */
export async function findTesseract(): Promise<TesseractProgram | undefined> {
  const program = await findTesseractProgram()
  if (!program) return undefined
  const looked = known.get(program.path) ?? lookAt(program.path)
  known.set(program.path, looked)
  return looked
}

async function call(
  program: TesseractProgram,
  picture: string,
  args: readonly string[],
  { signal, data }: TesseractOptions,
): Promise<string> {
  const folder = data ? ['--tessdata-dir', data] : []
  const { stdout } = await runProgram(program.path, [picture, 'stdout', ...folder, ...args], {
    what: 'tesseract',
    signal,
    maxOutput: MAX_OUTPUT,
    // Its threads wait for each other in busy loops: two of them on two busy cores take four times the processor time of one.
    environment: { OMP_THREAD_LIMIT: '1' },
  })
  return stdout
}

/** The words of Tesseract's TSV, in order; skips blank ones, which it reports for ruled lines. */
export function parseWords(tsv: string): TesseractWord[] {
  return tsv.split(/\r?\n/).flatMap((row) => {
    const cells = row.split('\t')
    const text = cells.slice(11).join('\t').trim()
    if (cells[0] !== '5' || text === '') return []
    const [left, top, width, height, confidence] = cells.slice(6, 11).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ]
    return [{ text, confidence: confidence / 100, left, top, width, height, line: cells.slice(1, 5).join('.') }]
  })
}

/** Recognises the words of an image file. @param languages by Tesseract's names, the most likely first */
export async function readWords(
  program: TesseractProgram,
  picture: string,
  languages: readonly string[],
  options: TesseractOptions,
): Promise<TesseractWord[]> {
  // A configuration named `tsv` would be searched for among the language data.
  const args = ['-l', languages.join('+'), '--psm', '3', '--dpi', '300', '-c', 'tessedit_create_tsv=1']
  return parseWords(await call(program, picture, args, options))
}

/** The orientation of an image file's page; undefined if it has too few letters. Needs the language data osd. */
export async function readOrientation(
  program: TesseractProgram,
  picture: string,
  options: TesseractOptions,
): Promise<TesseractOrientation | undefined> {
  const said = await call(program, picture, ['-l', 'osd', '--psm', '0', '--dpi', '300'], options).catch(() => {
    options.signal.throwIfAborted()
    return ''
  })
  const of = (name: string): string | undefined => new RegExp(`^${name}: (.+)$`, 'm').exec(said)?.[1]
  const [rotate, confidence, script] = [of('Rotate'), of('Orientation confidence'), of('Script')]
  if (rotate === undefined || confidence === undefined || script === undefined) return undefined
  return { rotate: Number(rotate), confidence: Number(confidence), script }
}

export const tesseract: Engine = {
  id: 'tesseract',
  purpose: 'reading text in images, quality fast',
  kind: 'program',
  licence: 'Apache-2.0',
  install: 'apt-get install tesseract-ocr',
  environment: 'MEDIAPROC_TESSERACT',
  async probe(): Promise<EngineStatus> {
    const program = await findTesseractProgram().catch(() => undefined)
    const found = program && (await findTesseract().catch(() => undefined))
    if (!program || !found) return { available: false }
    return {
      available: true,
      path: program.path,
      source: program.source === 'environment' ? 'environment' : 'path',
      version: found.version,
      abilities: found.languages.map((language) => `read ${language}`),
    }
  },
}
