import type { CatalogueEntry } from './catalogue.ts'
import type { InputSpec } from './contract.ts'
import { type SettingsTable, text } from './settings.ts'

/** What a request says beside the settings of an action that goes on from an earlier job. */
const EARLIER_JOB = {
  jobId: text('the job that the files were kept for', { required: true, minLength: 1, maxLength: 128 }),
  filename: text('the name of the picture, as that job answered it', { required: true, minLength: 1, maxLength: 1000 }),
} as const

type OfAction = Pick<CatalogueEntry, 'input' | 'settings'> & Pick<CatalogueEntry['actions'][number], 'fromJob'>

/** The files that a request itself must bring: of an action that goes on from a job only those that the job did not keep. */
export function sentInput({ input, fromJob }: Pick<OfAction, 'input' | 'fromJob'>): InputSpec {
  if (!fromJob) return input
  const secondary = Object.entries(input.secondary ?? {}).filter(([name]) => !Object.hasOwn(fromJob.files, name))
  const rest = { ...input, secondary: Object.fromEntries(secondary) }
  return Object.hasOwn(fromJob.files, 'file') ? { ...rest, files: 'none', min: 0, max: 0 } : rest
}

/** The settings that a request gives, with what names the job that it goes on from. */
export function sentSettings({ settings, fromJob }: Pick<OfAction, 'settings' | 'fromJob'>): SettingsTable {
  return fromJob ? { ...EARLIER_JOB, ...settings } : settings
}
