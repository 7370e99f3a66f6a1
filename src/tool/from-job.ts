import type { CatalogueEntry } from './catalogue.ts'
import type { InputSpec } from './contract.ts'
import { type SettingsTable, text } from './settings.ts'

/** Additional settings of an action that continues from an earlier job. */
const EARLIER_JOB = {
  jobId: text('the job that the files were kept for', { required: true, minLength: 1, maxLength: 128 }),
  filename: text('the name of the picture in the response of that job', {
    required: true,
    minLength: 1,
    maxLength: 1000,
  }),
} as const

type OfAction = Pick<CatalogueEntry, 'input' | 'settings'> & Pick<CatalogueEntry['actions'][number], 'fromJob'>

/**
 * The files that the request itself must upload: for an action that continues from a job, only those the job did not
 * keep.
 */
export function sentInput({ input, fromJob }: Pick<OfAction, 'input' | 'fromJob'>): InputSpec {
  if (!fromJob) return input
  const secondary = Object.entries(input.secondary ?? {}).filter(([name]) => !Object.hasOwn(fromJob.files, name))
  const rest = { ...input, secondary: Object.fromEntries(secondary) }
  return Object.hasOwn(fromJob.files, 'file') ? { ...rest, files: 'none', min: 0, max: 0 } : rest
}

/** The settings of a request, including those that name the job it continues from. */
export function sentSettings({ settings, fromJob }: Pick<OfAction, 'settings' | 'fromJob'>): SettingsTable {
  return fromJob ? { ...EARLIER_JOB, ...settings } : settings
}
