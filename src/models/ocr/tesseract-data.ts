import { copyFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { withTemporaryFolder } from '../../engines/process/temporary.ts'
import type { TesseractProgram } from '../../engines/tesseract.ts'
import { MediaprocError } from '../../errors.ts'
import { damagedFile } from '../store/checked-file.ts'
import { installedModel } from '../store/installed.ts'
import { type OneLanguage, TESSERACT_DATA, type TesseractData } from './languages.ts'

/** Language data by Tesseract's name: the file in the store, or undefined if Tesseract has its own. */
export type LanguageData = ReadonlyMap<string, string | undefined>

/** Looks for the data of a language: the store, which the user chose, takes precedence over Tesseract's own. */
async function dataOf(
  program: TesseractProgram,
  { name, model }: TesseractData,
  store?: string,
): Promise<{ file?: string } | undefined> {
  const installed = model === undefined ? undefined : await installedModel(model, store)
  const file = installed && [...installed.files.values()].find((path) => path.endsWith('.traineddata'))
  if (file && (await damagedFile(installed)) === undefined) return { file }
  return program.languages.includes(name) ? {} : undefined
}

/** The available data of some languages, in order, and the orientation data (`osd`) if available. */
export async function languageData(
  program: TesseractProgram,
  wanted: readonly OneLanguage[],
  store?: string,
): Promise<LanguageData> {
  const found = new Map<string, string | undefined>()
  const all = [...wanted.map((language) => TESSERACT_DATA[language]), { name: 'osd', model: 'tesseract-osd' }]
  for (const one of all) {
    const data = await dataOf(program, one, store)
    if (data) found.set(one.name, data.file)
  }
  return found
}

/** The error for a language whose data is missing. */
export function languageMissing(language: OneLanguage): MediaprocError {
  const { model, name } = TESSERACT_DATA[language]
  return new MediaprocError(
    'FEATURE_NOT_INSTALLED',
    `Reading this language with quality fast needs Tesseract's data ${name}, which are not installed`,
    {
      hint: {
        shell: `Install them with: ${model === undefined ? `apt-get install tesseract-ocr-${name}` : `mediaproc models install ${model}`}`,
      },
      fields: { feature: 'ocr', featureName: 'Text recognition', missingBundles: ['ocr'] },
    },
  )
}

/**
 * Runs work with one folder that contains all data, as Tesseract accepts only one. It is Tesseract's own if nothing
 * comes from the store.
 */
export async function withDataFolder<T>(
  program: TesseractProgram,
  data: LanguageData,
  work: (folder: string | undefined) => Promise<T>,
): Promise<T> {
  if ([...data.values()].every((file) => file === undefined)) return work(undefined)
  return withTemporaryFolder(async (folder) => {
    for (const [name, file] of data) {
      const from = file ?? (program.data && join(program.data, `${name}.traineddata`))
      const to = join(folder, `${name}.traineddata`)
      // Some systems do not allow every user to create links.
      if (from) await symlink(from, to).catch(() => copyFile(from, to))
    }
    return work(folder)
  })
}
