import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { type MediaFile, printableName } from '../file.ts'
import { typeOfName } from '../type.ts'
import { heif, jpeg2000, jpegXl } from './boxes.ts'
import { DOCUMENT_CHECKS } from './documents.ts'
import { FileView, type StructureCheck } from './file-view.ts'
import { PICTURE_CHECKS } from './pictures.ts'
import { RIFF_CHECKS } from './riff.ts'
import { MEDIA_CHECKS } from './streams.ts'

/** By type id. Text (CSV, Markdown, subtitles) has no end marker to check, and may be empty. */
const CHECKS: Readonly<Record<string, StructureCheck>> = {
  ...PICTURE_CHECKS,
  ...RIFF_CHECKS,
  ...MEDIA_CHECKS,
  ...DOCUMENT_CHECKS,
  ...{ avif: heif, heic: heif, heif, jp2: jpeg2000, jxl: jpegXl },
}

/** Text formats, which may be as short as `{}`. */
const TEXTS = new Set(['json', 'xml', 'svg', 'rtf'])
/** Minimum header size of all other formats with a check, bytes. */
const SHORTEST_HEADER = 26

function structureOf(path: string, type: string, check: StructureCheck): string | undefined {
  return FileView.with(path, (file) => {
    if (file.size === 0) return 'is empty'
    if (file.size < SHORTEST_HEADER && !TEXTS.has(type)) return `has only ${file.size} bytes`
    return check(file)
  })
}

/** Whether the file system of a folder has no room for another block. */
function isFull(folder: string): boolean {
  try {
    return statfsSync(folder).bavail === 0
  } catch {
    return false
  }
}

/**
 * Checks the start and the end of a file of a known type; reads a few kilobytes.
 * @param name file name, whose extension is its type
 * @returns the problem, as the end of the sentence "the file …"; undefined for a complete file and for types without a
 * check
 * @throws the system's error when it cannot be read
 */
export function structureFault(path: string, name: string): string | undefined {
  const type = typeOfName(name)
  const check = type && CHECKS[type.id]
  return check && structureOf(path, type.id, check)
}

/**
 * Checks that a finished file starts and ends like its type, before it is renamed to its final name: encoders that
 * encounter a full disk or a broken pipe may leave half a file and report success.
 * @param name display name, whose extension is its type
 * @param inputs the source files: a truncated source stays truncated if its bytes are copied, which has its own warning
 * @throws MediaprocError DISK_FULL, or PROCESSING_FAILED with the problem
 */
export function verifyStructure(path: string, name: string, inputs: readonly Pick<MediaFile, 'path' | 'name'>[]): void {
  const shown = printableName(name)
  let fault: string | undefined
  try {
    fault = structureFault(path, name)
  } catch (error) {
    throw toMediaprocError(error, 'PROCESSING_FAILED', `The result ${shown} cannot be read back`)
  }
  if (fault === undefined || inputs.some((input) => hasFault(input.path, name, fault))) return
  if (isFull(dirname(path))) throw new MediaprocError('DISK_FULL', undefined, { detail: `${shown} ${fault}` })
  throw new MediaprocError('PROCESSING_FAILED', `The result ${shown} ${fault}, so it was not kept`, {
    hint: { shell: 'Check the free space on the disk and run again; -v shows what the engine printed.' },
  })
}

function hasFault(path: string, name: string, fault: string): boolean {
  try {
    return structureFault(path, name) === fault
  } catch {
    return false
  }
}
