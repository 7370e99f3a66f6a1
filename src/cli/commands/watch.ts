import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { findTool } from '../../pipeline/read/find-tool.ts'
import { SECTIONS } from '../../tool/contract.ts'
import { checkSettings, flagSpelling } from '../../tool/validate.ts'
import { checkedTool } from '../checked-tool.ts'
import { loadConfig } from '../input/config.ts'
import { commandOptions } from '../input/effective-options.ts'
import { toolFlags } from '../input/flags.ts'
import { parametersOf } from '../input/parameters.ts'
import { type Parsed, parseArguments } from '../input/parse.ts'
import { WATCH_PIPELINE_OPTIONS, WATCH_SETTINGS, WATCH_TOOL_OPTIONS, withPollInterval } from '../input/watch-options.ts'
import type { Io } from '../output/io.ts'
import { planOrDiagnostics } from '../pipeline-diagnostics.ts'
import { runWatch, type WatchOptions } from '../run-watch.ts'

const HELP_LINE = 'mediaproc watch --help'

const isSection = (word: string | undefined): boolean => (SECTIONS as readonly string[]).includes(word ?? '')

/** Whether the arguments begin with a tool: `image resize` or `image/resize`. */
const namesTool = ([first, second]: readonly string[]): boolean =>
  isSection(first?.split('/')[0]) && (first?.includes('/') === true || second !== undefined)

/** `FOLDER -d out -- image resize --width 800` means the same as `image resize FOLDER -d out --width 800`. */
function withToolFirst(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--')
  const after = args.slice(end + 1)
  if (end < 0 || !namesTool(after)) return args
  const words = after[0]?.includes('/') ? 1 : 2
  return [...after.slice(0, words), ...args.slice(0, end), ...after.slice(words)]
}

/** @throws MediaprocError INVALID_SETTINGS */
function watchOptions(settings: Readonly<Record<string, unknown>>): WatchOptions {
  const { settle, poll, done, failed, once } = checkSettings(WATCH_SETTINGS, settings, flagSpelling)
  return {
    settleMs: settle as number,
    pollMs: poll as number | undefined,
    done: done as string | undefined,
    failed: failed as string | undefined,
    once: once as boolean,
  }
}

async function watchTool(args: readonly string[], io: Io): Promise<ExitCode> {
  const [first = '', ...others] = args
  const [name = '', ...rest] = first.includes('/') ? args : others
  const found = findTool(name, first.includes('/') ? undefined : first)
  const { settings: table, input } = found.entry
  const all = { ...WATCH_SETTINGS, ...table }
  const parsed = parseArguments(rest, all, toolFlags(all, input.secondary ?? {}, WATCH_TOOL_OPTIONS), HELP_LINE)
  const isOwn = (key: string): boolean => Object.hasOwn(WATCH_SETTINGS, key) && !Object.hasOwn(table, key)
  const entries = Object.entries(parsed.settings)
  const own = Object.fromEntries(entries.filter(([key]) => isOwn(key)))
  const settings = Object.fromEntries(entries.filter(([key]) => !isOwn(key)))
  const tool = await checkedTool(found, { ...parsed, settings })
  return runWatch({ kind: 'tool', tool }, parsed.operands, tool.options, watchOptions(own), io)
}

async function watchPipeline(parsed: Parsed, io: Io): Promise<ExitCode> {
  const [path, ...folders] = parsed.operands
  if (path === undefined || isSection(path))
    throw new MediaprocError(
      'USAGE',
      `Expected a pipeline or a tool directly after watch, got ${printableName(path ?? 'nothing')}`,
      {
        hint: 'Such as: mediaproc watch web.yaml photos -d out, or mediaproc watch image resize photos -d out --width 800',
      },
    )
  const options = commandOptions(parsed.common, await loadConfig('.', parsed.common.config))
  const plan = await planOrDiagnostics(path, io, {
    parameters: parametersOf(parsed.common.set),
    rows: parsed.common.rows,
  })
  if (!plan) return EXIT.usage
  if (plan.rows)
    throw new MediaprocError('USAGE', 'A pipeline with rows runs once for each row, and a watch for each file', {
      hint: 'Run it with mediaproc run; --newer makes only what has changed.',
    })
  if (!options.quiet) for (const line of plan.warnings) io.err(`mediaproc: ${line}\n`)
  if (plan.manifest !== undefined && !options.quiet)
    io.err('mediaproc: a watch processes each file alone, so it writes no manifest\n')
  const operands = folders.length > 0 ? folders : plan.inputs
  return runWatch(
    { kind: 'pipeline', plan, name: parsed.common.name },
    operands,
    options,
    watchOptions(parsed.settings),
    io,
  )
}

/** `mediaproc watch PIPELINE FOLDER…` and `mediaproc watch SECTION TOOL FOLDER… [--setting value…]` */
export async function watchCommand(given: readonly string[], io: Io): Promise<ExitCode> {
  const args = withPollInterval(withToolFirst(given))
  if (namesTool(args)) return watchTool(args, io)
  const flags = toolFlags(WATCH_SETTINGS, {}, WATCH_PIPELINE_OPTIONS)
  return watchPipeline(parseArguments(args, WATCH_SETTINGS, flags, HELP_LINE), io)
}
