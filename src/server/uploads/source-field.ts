import { invalid } from '../http/answers.ts'
import { excessOf } from '../http/json-limits.ts'
import { MAX_FILES, MAX_ID } from '../http/limits.ts'

/** Longest name of a result, in characters: names are at most 255 bytes. */
const MAX_NAME = 255

interface Place {
  /** The form field that a part with the bytes would have. */
  field: string
  /** Place among all files of the form, from 0; at the end without it. */
  at?: number
  /** Its name for this job; its own by default. */
  name?: string
}

/** A file on the server that is used instead of an upload: an upload of its own, a result, or a file of the library. */
export type Source = Place &
  ({ uploadId: string } | { jobId: string; filename: string } | { fileId: string; version?: number })

const KINDS = [
  { needed: ['uploadId'], optional: [] },
  { needed: ['jobId', 'filename'], optional: [] },
  { needed: ['fileId'], optional: ['version'] },
] as const

const LENGTHS: Readonly<Record<string, number>> = {
  field: 100,
  uploadId: MAX_ID,
  jobId: 128,
  filename: MAX_NAME,
  name: MAX_NAME,
  fileId: MAX_ID,
}
const NUMBERS: Readonly<Record<string, number>> = { at: 0, version: 1 }

const EXPECTED = 'Expected uploadId, jobId with filename, or fileId'

function checkValue(name: string, value: unknown, where: string): void {
  const least = NUMBERS[name]
  if (least !== undefined) {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return
    throw invalid(`${where}.${name}: Expected a whole number from ${least}`)
  }
  const most = LENGTHS[name] ?? 0
  if (typeof value !== 'string' || value === '' || value.length > most)
    throw invalid(`${where}.${name}: Expected a text of 1 to ${most} characters`)
}

function sourceOf(given: unknown, index: number): Source {
  const where = `sources.${index}`
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid(`${where}: ${EXPECTED}`)
  const names = Object.keys(given)
  const kinds = KINDS.filter(({ needed }) => names.includes(needed[0]))
  const [kind] = kinds
  if (!kind || kinds.length > 1) throw invalid(`${where}: ${EXPECTED}`)
  const known: readonly string[] = [...kind.needed, ...kind.optional, 'field', 'at', 'name']
  const wrong = names.find((name) => !known.includes(name)) ?? kind.needed.find((name) => !names.includes(name))
  if (wrong !== undefined) throw invalid(`${where}: ${EXPECTED}`)
  for (const [name, value] of Object.entries(given)) checkValue(name, value, where)
  return { field: 'file', ...(given as Omit<Source, 'field'>) } as Source
}

/** Parses the field `sources` of a form; without it there are none. @throws VALIDATION_ERROR */
export function parseSources(text: string | undefined): Source[] {
  if (text === undefined || text.trim() === '') return []
  let list: unknown
  try {
    list = excessOf(text) ? undefined : JSON.parse(text)
  } catch {
    list = undefined
  }
  if (!Array.isArray(list)) throw invalid('sources: Expected a JSON list of files')
  if (list.length > MAX_FILES) throw invalid(`sources: Expected at most ${MAX_FILES} files`)
  return list.map(sourceOf)
}
