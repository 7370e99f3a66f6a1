import { EXIT, type ExitCode } from '../errors.ts'
import { type FoundTool, findTool } from '../pipeline/read/find-tool.ts'
import { meetsCondition } from '../tool/condition.ts'
import { SECTIONS } from '../tool/contract.ts'
import { catalogue } from '../tool/registry.ts'
import { allowedWords, type Setting } from '../tool/settings.ts'
import { inspectSettings } from '../tool/validate.ts'
import { describeExpected } from '../tool/values/values.ts'
import { commandLine } from './command-line.ts'
import { execute } from './execute.ts'
import type { Io } from './output/io.ts'

type Prompts = typeof import('@inquirer/prompts')

/** Settings beyond this number are asked only on request. */
const FIRST_SETTINGS = 5

/** Lower values for better matches of a tool's name with the typed text. */
function rank(id: string, term: string): number {
  return id === term ? 0 : id.startsWith(term) ? 1 : id.includes(term) ? 2 : 3
}

async function chooseTool({ select, search }: Prompts): Promise<FoundTool> {
  const entries = catalogue()
  const section = await select({
    message: 'What kind of file?',
    choices: SECTIONS.filter((one) => entries.some((entry) => entry.section === one)).map((value) => ({ value })),
  })
  const own = entries.filter((entry) => entry.section === section)
  const id = await search({
    message: 'What is to be done?',
    source: (term = '') =>
      own
        .filter((entry) => `${entry.id} ${entry.summary}`.toLowerCase().includes(term.toLowerCase()))
        .sort((a, b) => rank(a.id, term) - rank(b.id, term))
        .map((entry) => ({ name: `${entry.id}: ${entry.summary}`, value: entry.id, short: entry.id })),
  })
  return findTool(id, section)
}

/** Splits file names as a shell would: spaces separate them, quotes keep spaces. */
export function splitNames(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain = '']) => double ?? single ?? plain,
  )
}

async function chooseFiles({ input }: Prompts, { entry }: FoundTool): Promise<string[]> {
  if (entry.input.files === 'none') return []
  const line = await input({
    message:
      entry.input.files === 'many'
        ? 'Which files? (in order, separated by spaces)'
        : "Which files? (names, or a pattern such as '*.jpg')",
    validate: (value) => entry.input.min === 0 || splitNames(value).length > 0 || 'Name at least one file.',
  })
  return splitNames(line)
}

async function chooseSecondary({ input }: Prompts, { entry }: FoundTool): Promise<Record<string, string>> {
  const given: Record<string, string> = {}
  for (const [name, { what, required }] of Object.entries(entry.input.secondary ?? {})) {
    const path = await input({ message: `The file for ${what}${required ? '' : ' (empty for none)'}`, required })
    if (path !== '') given[name] = path
  }
  return given
}

/** Prompts for one setting; undefined leaves it at its default. */
async function askSetting(prompts: Prompts, name: string, row: Setting): Promise<unknown> {
  const message = row.unit ? `${name}: ${row.help} (${row.unit})` : `${name}: ${row.help}`
  const shown =
    row.default === undefined ? undefined : typeof row.default === 'string' ? row.default : JSON.stringify(row.default)
  if (row.type === 'boolean') return prompts.confirm({ message, default: row.default === true })
  if (row.type === 'enum') {
    const choices = allowedWords(row).map((value) => ({
      name: String(value),
      value: value as string | number | undefined,
    }))
    if (!row.required && row.default === undefined) choices.unshift({ name: '(leave open)', value: undefined })
    return prompts.select({ message, choices, default: row.default as string | number | undefined })
  }
  if (row.secret) return (await prompts.password({ message, mask: true })) || undefined
  const answer = await prompts.input({
    message,
    default: shown,
    required: row.required === true,
    validate: (value) => {
      if (value === '' && !row.required) return true
      const [issue] = inspectSettings({ [name]: row }, { [name]: value }).issues
      return issue ? `Expected ${describeExpected(row)}` : true
    },
  })
  return answer === '' && !row.required ? undefined : answer
}

async function chooseSettings(prompts: Prompts, { entry }: FoundTool): Promise<Record<string, unknown>> {
  const rows = Object.entries(entry.settings).filter(([, row]) => row.deprecated === undefined)
  const first = rows.filter(([, row], index) => row.required || index < FIRST_SETTINGS)
  const further = rows.filter((row) => !first.includes(row))
  const usualValues = Object.fromEntries(Object.entries(entry.settings).map(([name, row]) => [name, row.default]))
  const given: Record<string, unknown> = {}
  const ask = async (some: typeof rows): Promise<void> => {
    for (const [name, row] of some) {
      if (!meetsCondition(row.when, { ...usualValues, ...given })) continue
      const value = await askSetting(prompts, name, row)
      const usual =
        row.default === undefined
          ? undefined
          : typeof row.default === 'object'
            ? JSON.stringify(row.default)
            : row.default
      if (value !== undefined && String(value) !== String(usual)) given[name] = value
    }
  }
  await ask(first)
  const names = further.map(([name]) => name).join(', ')
  if (further.length > 0 && (await prompts.confirm({ message: `Set more? (${names})`, default: false })))
    await ask(further)
  // A switch that is off and has no default is omitted.
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== false || entry.settings[name]!.default !== undefined),
  )
}

/** Prompts for a tool, files and settings, runs it, and prints the equivalent command. */
export async function pick(io: Io): Promise<ExitCode> {
  const prompts = await import('@inquirer/prompts')
  try {
    const found = await chooseTool(prompts)
    const inputs = await chooseFiles(prompts, found)
    const secondary = await chooseSecondary(prompts, found)
    const settings = await chooseSettings(prompts, found)
    const code = await execute(found, { operands: inputs, settings, secondary, common: {} }, io)
    const { entry } = found
    const line = commandLine({
      tool: `${entry.section} ${entry.id}`,
      inputs,
      settings,
      table: entry.settings,
      secondary,
    })
    io.err(`\n${io.errColours.dim('The same again:')} ${line}\n`)
    return code
  } catch (error) {
    // Ctrl-C at a prompt.
    if ((error as Error).name === 'ExitPromptError') return EXIT.interrupted
    throw error
  }
}
