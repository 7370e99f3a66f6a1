import { existsSync, statSync } from 'node:fs'
import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import { conversionTypes, converterEntries, findRoute, type Route, reachable } from '../../local/convert-routes.ts'
import { expandInputs, type InputItem } from '../../local/inputs.ts'
import { extensionOf, printableName } from '../../media/file.ts'
import { sniffFile } from '../../media/sniff.ts'
import { typeOfName } from '../../media/type.ts'
import { findTool } from '../../pipeline/read/find-tool.ts'
import type { SettingsTable } from '../../tool/settings.ts'
import { either } from '../../wording.ts'
import { execute } from '../execute.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'
import { toolFlags } from '../input/flags.ts'
import { type Parsed, parseArguments } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { reportLeftOut } from '../output/output-lines.ts'

const OPTIONS = {
  ...COMMON_OPTIONS,
  to: { long: 'to', value: 'EXT', help: 'the extension to convert to; outputs go beside the inputs or to -d' },
} as const

/** All settings of all conversion tools; the tool is known only from the extensions. */
function unionTable(): SettingsTable {
  return Object.assign(
    {},
    ...converterEntries()
      .map(({ settings }) => settings)
      .reverse(),
  ) as SettingsTable
}

/** The parsed command line. */
interface Wanted {
  inputs: string[]
  to: string
  /** The output, if one is named after the inputs. */
  output?: string
  /** The output folder, if one is named after the inputs. */
  outputDir?: string
}

const isFolder = (name: string): boolean => statSync(name, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * As in `cp`: after the inputs, `DIR/` or an existing folder is the output folder. With -r, such a folder is an input.
 */
function isOutputFolder(last: string, { recursive, output, outputDir }: Parsed['common']): boolean {
  if (output !== undefined || outputDir !== undefined) return false
  return isFolder(last) ? !recursive : /[/\\]$/.test(last)
}

function takeApart({ operands, common }: Parsed, to: string | undefined): Wanted {
  const last = operands.at(-1)
  const into = operands.length > 1 && isOutputFolder(last!, common)
  if (to !== undefined) {
    if (operands.length === 0) throw new MediaprocError('NO_FILE', 'convert needs an input file')
    const extension = to.replace(/^\./, '').toLowerCase()
    return into
      ? { inputs: operands.slice(0, -1), to: extension, outputDir: last! }
      : { inputs: operands, to: extension }
  }
  if (operands.length > 0 && common.output !== undefined && extensionOf(common.output) !== '')
    return { inputs: operands, to: extensionOf(common.output) }
  if (into)
    throw new MediaprocError('USAGE', `Expected what to convert to, got only the folder ${printableName(last!)}`, {
      hint: `Such as: mediaproc convert photo.heic ${printableName(last!)} --to jpg`,
    })
  if (operands.length < 2)
    throw new MediaprocError('USAGE', 'Expected an input and an output, or an input and --to EXT', {
      hint: 'Such as: mediaproc convert photo.heic photo.jpg',
    })
  if (extensionOf(last!) === '')
    throw new MediaprocError('USAGE', `Expected an output with an extension, got ${printableName(last!)}`, {
      hint: 'The extension says what to convert to; --to EXT names it for many inputs.',
    })
  return { inputs: operands.slice(0, -1), to: extensionOf(last!), output: last! }
}

/** The extension of an input; if it is missing or unknown, the type of its content. */
async function extensionOfInput(input: string): Promise<string> {
  const address = /^https?:\/\/[^?#]*/i.exec(input)?.[0]
  const name = extensionOf(address ?? input)
  if (typeOfName(`x.${name}`)) return name
  if (address === undefined && input !== '-' && existsSync(input))
    return (await sniffFile(input, input)).extensions[0] ?? name
  if (name === '')
    throw new MediaprocError('USAGE', `${printableName(input)} does not say what it is`, {
      hint: 'Name the tool: mediaproc SECTION TOOL …',
    })
  return name
}

function routeOf(from: string, to: string): Route {
  const route = findRoute(from, to)
  if (route) return route
  const others = reachable(from)
  throw new MediaprocError('USAGE', `There is no conversion from ${from.toUpperCase()} to ${to.toUpperCase()}`, {
    hint:
      others.length > 0
        ? `${from.toUpperCase()} can become ${either(others)}.`
        : `Nothing converts ${from.toUpperCase()}.`,
  })
}

interface Group {
  route: Route
  items: InputItem[]
}

/** One run per tool: inputs of several types may need several. Known problems of an input are reported by its job. */
async function groupByTool(items: readonly InputItem[], to: string): Promise<Group[]> {
  const groups: Group[] = []
  const failed = items.filter(({ error }) => error)
  for (const item of items) {
    if (item.error) continue
    const route = routeOf(await extensionOfInput(item.given), to)
    const group = groups.find((one) => one.route.entry === route.entry)
    if (group) group.items.push(item)
    else groups.push({ route, items: [item] })
  }
  if (groups.length === 0) throw firstOf(failed).error
  firstOf(groups).items.push(...failed)
  return groups
}

/** `mediaproc convert IN… OUT`, `mediaproc convert IN… --to EXT` and `mediaproc convert IN… DIR/ --to EXT` */
export async function convertCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const table = unionTable()
  const flags = toolFlags(table, {}, OPTIONS)
  const parsed = parseArguments(args, table, flags, 'mediaproc convert --help')
  const { to: wanted, ...common } = parsed.common as Parsed['common'] & { to?: string }
  const { inputs, to, output, outputDir = common.outputDir } = takeApart(parsed, wanted)
  const { recursive, nullSeparated } = common
  const onLeftOut = (count: number): void => reportLeftOut(io, common, count)
  const listing = { streams: io, recursive, nullSeparated, outputDir, onLeftOut }
  const items = await expandInputs(inputs, { accept: conversionTypes(to).from, files: 'one' }, listing)
  const groups = await groupByTool(items, to)
  const single = output ?? common.output
  if (groups.length > 1 && single !== undefined)
    throw new MediaprocError('USAGE', `${printableName(single)} is one output, and the inputs need several tools`, {
      hint: 'Use --to EXT with -d DIR.',
    })
  let worst: ExitCode = EXIT.ok
  for (const { route, items: own } of groups) {
    const { section, id } = route.entry
    if (io.stderrIsTerminal && !common.quiet && !common.json) io.err(`mediaproc: converting with ${section}/${id}\n`)
    // The last operand may come from a shell pattern: `convert *.jpg` must not replace the second of two files.
    const named = output !== undefined && { keepExisting: true, common: { ...common, output } }
    const operands = own.map(({ given }) => given)
    const line: Parsed = {
      ...parsed,
      operands,
      common: { ...common, ...(outputDir !== undefined && { outputDir }) },
      ...named,
    }
    const code = await execute(findTool(`${section}/${id}`), line, io, { implied: route.settings, items: own })
    if (worst === EXIT.ok || code === EXIT.interrupted) worst = code
    else if (code !== EXIT.ok && code !== worst) worst = EXIT.failed
    if (code === EXIT.interrupted) break
  }
  return worst
}
