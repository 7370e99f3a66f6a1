import type { SecondaryInput } from '../../tool/contract.ts'
import { kebabCase, type Setting, type SettingsTable } from '../../tool/settings.ts'
import type { CommonOption } from './common-options.ts'

/** One spelling of an option, as declared to the parser. */
export interface Flag {
  /** Without dashes: `without-enlargement`. */
  long: string
  short?: string
  takesValue: boolean
  /** Shown in help and suggestions; other spellings are accepted silently. */
  visible: boolean
  /** The target of its value. */
  sets: { kind: 'setting' | 'secondary' | 'common' | 'secret-file'; name: string }
  /** For switches: the resulting value; text if the switch has one, as `--newer=hash`. */
  means?: boolean | string
  /** Its values form a list. */
  repeats?: true
}

/** All accepted spellings of a name; the first one is shown. */
function spellings(name: string, aliases: readonly string[] = []): string[] {
  return [...new Set([name, ...aliases].flatMap((one) => [kebabCase(one), one]))]
}

function settingFlags(name: string, row: Setting): Flag[] {
  const sets = { kind: 'setting', name } as const
  const visible = row.deprecated === undefined
  return spellings(name, row.aliases).flatMap((long, index): Flag[] => {
    const shown = visible && index === 0
    const short = index === 0 && row.short !== undefined ? { short: row.short } : {}
    if (row.type === 'boolean')
      return [
        { long, ...short, takesValue: false, visible: shown, sets, means: true },
        { long: `no-${long}`, takesValue: false, visible: shown, sets, means: false },
      ]
    const flag: Flag = { long, ...short, takesValue: true, visible: shown, sets }
    if (!row.secret) return [flag]
    return [flag, { long: `${long}-file`, takesValue: true, visible: shown, sets: { kind: 'secret-file', name } }]
  })
}

/**
 * All options of a tool, in the order in which they claim their names: the tool's settings and secondary inputs, then
 * the common options. A common option whose long name is taken by a setting keeps its letter.
 */
export function toolFlags(
  table: SettingsTable,
  secondary: Readonly<Record<string, SecondaryInput>>,
  common: Readonly<Record<string, CommonOption>>,
): Flag[] {
  const flags: Flag[] = [
    ...Object.entries(table).flatMap(([name, row]) => settingFlags(name, row)),
    ...Object.keys(secondary).flatMap((name) =>
      spellings(name).map(
        (long, index): Flag => ({ long, takesValue: true, visible: index === 0, sets: { kind: 'secondary', name } }),
      ),
    ),
    ...Object.entries(common).flatMap(([name, row]): Flag[] => {
      const sets = { kind: 'common', name } as const
      const takesValue = row.value !== undefined
      // The parser only supports switches without a value: `--newer=hash` becomes a separate switch.
      const words = (row.words ?? []).map((word) => ({
        long: `${row.long}-${word}`,
        takesValue,
        visible: false,
        sets,
        means: word,
      }))
      const repeats = row.repeats && { repeats: row.repeats }
      return [{ long: row.long, short: row.short, takesValue, visible: true, sets, means: true, ...repeats }, ...words]
    }),
  ]
  const claimed = new Set<string>()
  return flags.flatMap((flag) => {
    if (!claimed.has(flag.long)) {
      claimed.add(flag.long)
      return [flag]
    }
    // The letter remains; the parser requires a long name with it, which is not documented.
    return flag.short ? [{ ...flag, long: `common-${flag.long}`, visible: false }] : []
  })
}
