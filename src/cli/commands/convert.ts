import { existsSync } from 'node:fs'
import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { converterEntries, findRoute, type Route, reachable } from '../../local/convert-routes.ts'
import { extensionOf, printableName } from '../../media/file.ts'
import { sniffFile } from '../../media/sniff.ts'
import { typeOfName } from '../../media/type.ts'
import { findTool } from '../../pipeline/find-tool.ts'
import type { SettingsTable } from '../../tool/settings.ts'
import { either } from '../../wording.ts'
import { COMMON_OPTIONS } from '../common-options.ts'
import { execute } from '../execute.ts'
import { toolFlags } from '../flags.ts'
import type { Io } from '../io.ts'
import { type Parsed, parseArguments } from '../parse.ts'

const OPTIONS = {
  ...COMMON_OPTIONS,
  to: { long: 'to', value: 'EXT', help: 'the extension to convert to; outputs go beside the inputs or to -d' },
} as const

/** Every setting of every tool that converts; which tool it will be is known only from the extensions. */
function unionTable(): SettingsTable {
  return Object.assign(
    {},
    ...converterEntries()
      .map(({ settings }) => settings)
      .reverse(),
  ) as SettingsTable
}

/** The inputs, the wanted extension, and the output where one is named. */
function takeApart(parsed: Parsed, to: string | undefined): { inputs: string[]; to: string; output?: string } {
  const { operands, common } = parsed
  if (to !== undefined) {
    if (operands.length === 0) throw new MediaprocError('NO_FILE', 'convert needs an input file')
    return { inputs: operands, to: to.replace(/^\./, '').toLowerCase() }
  }
  if (operands.length > 0 && common.output !== undefined && extensionOf(common.output) !== '')
    return { inputs: operands, to: extensionOf(common.output) }
  const output = operands.at(-1)
  if (operands.length < 2)
    throw new MediaprocError('USAGE', 'Expected an input and an output, or an input and --to EXT', {
      hint: 'Such as: mediaproc convert photo.heic photo.jpg',
    })
  if (extensionOf(output!) === '')
    throw new MediaprocError('USAGE', `Expected an output with an extension, got ${printableName(output!)}`, {
      hint: 'The extension says what to convert to; --to EXT names it for many inputs.',
    })
  return { inputs: operands.slice(0, -1), to: extensionOf(output!), output }
}

/** What an input is called by its extension; where it has none that is known, what it is by its content. */
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

/** One run per tool: inputs of several types may need several. */
async function groupByTool(inputs: readonly string[], to: string): Promise<{ route: Route; inputs: string[] }[]> {
  const groups: { route: Route; inputs: string[] }[] = []
  for (const input of inputs) {
    const route = routeOf(await extensionOfInput(input), to)
    const group = groups.find((one) => one.route.entry === route.entry)
    if (group) group.inputs.push(input)
    else groups.push({ route, inputs: [input] })
  }
  return groups
}

/** `mediaproc convert IN… OUT` and `mediaproc convert IN… --to EXT` */
export async function convertCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const table = unionTable()
  const flags = toolFlags(table, {}, OPTIONS)
  const parsed = parseArguments(args, table, flags, 'mediaproc convert --help')
  const { to: wanted, ...common } = parsed.common as Parsed['common'] & { to?: string }
  const { inputs, to, output } = takeApart(parsed, wanted)
  const groups = await groupByTool(inputs, to)
  const single = output ?? common.output
  if (groups.length > 1 && single !== undefined)
    throw new MediaprocError('USAGE', `${printableName(single)} is one output, and the inputs need several tools`, {
      hint: 'Use --to EXT with -d DIR.',
    })
  let worst: ExitCode = EXIT.ok
  for (const { route, inputs: operands } of groups) {
    const { section, id } = route.entry
    if (io.stderrIsTerminal && !common.quiet && !common.json) io.err(`mediaproc: converting with ${section}/${id}\n`)
    // The shell may have made the last operand of a pattern: `convert *.jpg` must not replace the second of two files.
    const named = output !== undefined && { keepExisting: true, common: { ...common, output } }
    const own: Parsed = { ...parsed, operands, common, ...named }
    const code = await execute(findTool(`${section}/${id}`), own, io, { implied: route.settings })
    if (worst === EXIT.ok || code === EXIT.interrupted) worst = code
    else if (code !== EXIT.ok && code !== worst) worst = EXIT.failed
    if (code === EXIT.interrupted) break
  }
  return worst
}
