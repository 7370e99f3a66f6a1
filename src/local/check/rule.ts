import { FILE_TYPES, typeById, typeOfName } from '../../media/type.ts'
import type { StepData } from '../../pipeline/plan/check-step.ts'
import { nearest, type SettingsIssue } from '../../tool/validate.ts'
import type { LimitName } from './limits.ts'

export const SEVERITIES = ['error', 'warning'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The value of a limit, checked against its row. */
export type LimitValue = number | boolean | readonly string[]

/** A set of limits for some files. */
export interface Rule {
  name: string
  severity: Severity
  /** Patterns of the files that it is about; empty for all. */
  files: readonly string[]
  /** The folder that patterns are relative to, absolute. */
  folder: string
  limits: Readonly<Partial<Record<LimitName, LimitValue>>>
  /** `false`: no two of its files may have the same content. */
  duplicates?: false
  /** Replaces the fixes of the limits; `false` for none. */
  fix?: readonly StepData[] | false
}

/** The name of the finding for files that cannot be read; no rule can have it. */
export const READABLE = 'readable'

/** The rules without a file and without limits on the command line. */
export function defaultRules(folder: string): Rule[] {
  return [
    { name: 'privacy', severity: 'error', files: [], folder, limits: { gps: false } },
    { name: 'type', severity: 'error', files: [], folder, limits: { extension: true } },
    { name: 'duplicates', severity: 'warning', files: [], folder, limits: {}, duplicates: false },
  ]
}

/** The id of a format by any of its extensions; undefined if it is unknown. */
function formatId(word: string): string | undefined {
  const name = word.replace(/^\./, '').toLowerCase()
  return (typeOfName(`x.${name}`) ?? typeById(name))?.id
}

const KNOWN_FORMATS = FILE_TYPES.flatMap(({ extensions }) => extensions)

/**
 * Replaces words of lists by the names that facts use: formats by their ids, codecs in lower case.
 * @returns the limits, and problems with words that are not known
 */
export function normalizedLimits(limits: Rule['limits']): { limits: Rule['limits']; issues: SettingsIssue[] } {
  const issues: SettingsIssue[] = []
  const changed: Partial<Record<LimitName, LimitValue>> = { ...limits }
  for (const name of ['videoCodecs', 'audioCodecs'] as const) {
    const words = limits[name]
    if (Array.isArray(words)) changed[name] = words.map((word: string) => word.toLowerCase())
  }
  if (Array.isArray(limits.formats))
    changed.formats = limits.formats.flatMap((word: string, index) => {
      const id = formatId(word)
      if (id !== undefined) return id
      const near = nearest(word, KNOWN_FORMATS)
      issues.push({
        path: `formats.${index}`,
        message: `There is no format ${word}`,
        hint: near ? `Did you mean ${near}?` : 'Formats are named by their extensions, such as jpg, webp or mp4.',
      })
      return []
    })
  const pairs = [
    ['minWidth', 'maxWidth'],
    ['minHeight', 'maxHeight'],
    ['minDuration', 'maxDuration'],
    ['minFrameRate', 'maxFrameRate'],
    ['minLoudness', 'maxLoudness'],
    ['minPages', 'maxPages'],
  ] as const
  for (const [low, high] of pairs) {
    const [least, most] = [limits[low], limits[high]]
    if (typeof least === 'number' && typeof most === 'number' && least > most)
      issues.push({ path: low, message: `${low} is ${least}, which is more than ${high}, ${most}` })
  }
  return { limits: changed, issues }
}
