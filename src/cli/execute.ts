import { resolve } from 'node:path'
import type { ExitCode } from '../errors.ts'
import { MediaprocError } from '../errors.ts'
import { checkCount } from '../job/accept.ts'
import { extensionOf } from '../media/file.ts'
import { typeOfName } from '../media/type.ts'
import type { Target } from '../pipeline/target.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { typeSetting } from '../tool/output-type.ts'
import { loadConfig } from './config.ts'
import { expandInputs, type InputItem } from './inputs.ts'
import type { Io } from './io.ts'
import type { Parsed } from './parse.ts'
import { runJobs } from './run-jobs.ts'
import { type RunOptions, runOptions } from './run-options.ts'
import { mergeSettings, readSettingsOption } from './run-settings.ts'
import { withSignals } from './signals.ts'

/** `-o b.webp` asks for WebP where a setting names the type of the output. */
function typeFromOutput(
  { settings, output: { type } }: Pick<CatalogueEntry, 'settings' | 'output'>,
  output: string | undefined,
): Record<string, unknown> {
  const wanted = output === undefined ? undefined : typeOfName(output)
  const name = typeSetting(type)
  if (!wanted || name === undefined) return {}
  const members = settings[name]?.enum?.map(String) ?? []
  const exact = members.find((member) => member.toLowerCase() === extensionOf(output!))
  const member = exact ?? members.find((one) => typeOfName(`x.${one}`)?.id === wanted.id)
  return member === undefined ? {} : { [name]: member }
}

async function secondaryItems(parsed: Parsed, options: RunOptions, io: Io): Promise<Record<string, InputItem>> {
  const items: Record<string, InputItem> = {}
  for (const [name, given] of Object.entries(parsed.secondary)) {
    const [item, ...others] = await expandInputs(
      [given],
      { ...options, recursive: false, accept: ['*'], keepDuplicates: false },
      io,
    )
    if (!item || others.length > 0)
      throw new MediaprocError('USAGE', `Expected one file for --${name}, got ${given}`, { hint: '' })
    items[name] = item
  }
  return items
}

/** Checks that are made before any work: files must be named where the tool takes some. */
function checkOperands({ entry }: Target, operands: readonly string[]): void {
  const tool = `${entry.section}/${entry.id}`
  if (entry.input.files === 'none' && operands.length > 0)
    throw new MediaprocError('TOO_MANY_FILES', `${tool} takes no input file, got ${operands[0]}`)
  if (entry.input.min > 0 && operands.length === 0)
    throw new MediaprocError('NO_FILE', `${tool} needs an input file`, {
      hint: `mediaproc ${entry.section} ${entry.id} --help shows how it is used.`,
    })
}

/**
 * Runs a tool as a parsed command line asks: settings from configuration, --settings and flags, inputs, outputs.
 * @param implied settings that the command itself means, below those that were given
 * @throws MediaprocError for what is wrong before any work
 */
export async function execute(
  target: Target,
  parsed: Parsed,
  io: Io,
  implied: Record<string, unknown> = {},
): Promise<ExitCode> {
  const { entry } = target
  const config = await loadConfig('.')
  const options = runOptions(parsed.common, config)
  const settings = mergeSettings(entry.settings, [
    config.defaults[`${entry.section}/${entry.id}`] ?? {},
    typeFromOutput(entry, options.output),
    implied,
    await readSettingsOption(parsed.common.settings),
    parsed.settings,
  ])
  checkOperands(target, parsed.operands)
  const { runnable, check } = await target.load()
  check?.(settings.values)
  if (!options.quiet) for (const line of settings.deprecated) io.err(`mediaproc: ${line}\n`)
  const listing = {
    ...options,
    accept: entry.input.accept,
    keepDuplicates: entry.input.files === 'many',
    exclude: options.outputDir === undefined ? undefined : resolve(options.outputDir),
  }
  const items = await expandInputs(parsed.operands, listing, io)
  if (entry.input.files === 'many') checkCount(runnable.input, items.length, `${entry.section}/${entry.id}`)
  const secondary = await secondaryItems(parsed, options, io)
  return withSignals(io, (signal) =>
    runJobs({ entry, tool: runnable, items, secondary, settings: settings.values, options }, io, signal),
  )
}
