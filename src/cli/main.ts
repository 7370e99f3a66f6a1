import { environmentText } from '../environment.ts'
import { EXIT, type ExitCode, MediaprocError, toMediaprocError } from '../errors.ts'
import { firstOf } from '../lists.ts'
import { printableName } from '../media/file.ts'
import { SECTIONS } from '../tool/contract.ts'
import type { CommandName } from './commands.ts'
import { findConfigFile } from './input/config.ts'
import type { Io } from './output/io.ts'
import { asksForHelp } from './usage.ts'

const isSection = (word: string): boolean => (SECTIONS as readonly string[]).includes(word)

async function unknownCommand(word: string): Promise<MediaprocError> {
  const [{ VISIBLE_COMMANDS }, { catalogue, suggestTools }, { nearest }, { either }] = await Promise.all([
    import('./commands.ts'),
    import('../tool/registry.ts'),
    import('../tool/validate.ts'),
    import('../wording.ts'),
  ])
  const shown = printableName(word)
  if (word.startsWith('-'))
    return new MediaprocError('USAGE', `There is no option ${shown} before a command`, {
      hint: 'Options come after the command and its tool.',
    })
  const visible = VISIBLE_COMMANDS
  const tools = suggestTools(word)
  const commands: string[] = [...SECTIONS, ...visible]
  const slip = nearest(word, [...commands, ...catalogue().map(({ id }) => id)])
  // `merge` must suggest merge-pdf rather than `serve`, which is closer in spelling.
  const isWordOfTool = tools.some(({ id }) => id.split('-').includes(word))
  const meant = !isWordOfTool && commands.includes(slip!) ? [slip] : tools.map(({ section, id }) => `${section} ${id}`)
  const hint = meant.length > 0 ? `Did you mean ${either(meant.map((one) => `mediaproc ${one}`))}?` : undefined
  return new MediaprocError('USAGE', `There is no command ${shown}`, hint ? { hint } : {})
}

/** Whether a command may have plugins; finding out costs next to nothing. */
function mayHavePlugins(args: readonly string[]): boolean {
  if (environmentText('MEDIAPROC_PLUGINS') !== '' || args.some((arg) => arg.startsWith('--plugin'))) return true
  return findConfigFile('.') !== undefined || args.some((arg) => arg.startsWith('--config'))
}

async function dispatch(given: readonly string[], io: Io): Promise<ExitCode> {
  let args = given
  if (mayHavePlugins(given)) {
    const { separatePlugins, usePlugins } = await import('./plugins/use.ts')
    const separated = separatePlugins(given)
    args = separated.args
    await usePlugins(io, separated.named, args)
  }
  const [word, ...rest] = args
  if (word === undefined && io.stdinIsTerminal && io.stderrIsTerminal) return (await import('./picker.ts')).pick(io)
  if (word === undefined || word === '--help' || word === '-h') {
    const { programHelp } = await import('./program-help.ts')
    if (word !== undefined) io.out(programHelp(io.width))
    else io.err(programHelp(io.width))
    return word === undefined ? EXIT.usage : EXIT.ok
  }
  // The other commands are loaded only if it is not a tool: a tool must not wait for them.
  if (isSection(word)) {
    const [name, ...toolArgs] = rest
    if (name === undefined || asksForHelp([name])) return (await import('./commands/tools.ts')).toolsCommand([word], io)
    return (await import('./commands/tool.ts')).toolCommand(word, name, toolArgs, io)
  }
  if (isSection(firstOf(word.split('/'))))
    return (await import('./commands/tool.ts')).toolCommand(undefined, word, rest, io)
  const [{ COMMANDS }, { loadCommand }] = await Promise.all([import('./commands.ts'), import('./load-command.ts')])
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined
  if (!command) throw await unknownCommand(word)
  if (asksForHelp(rest) && !command.hidden) {
    const { commandHelp } = await import('./program-help.ts')
    io.out(commandHelp(word, command, io.width))
    return EXIT.ok
  }
  return (await loadCommand(word as CommandName))(rest, io)
}

/** The whole program: takes the arguments after `mediaproc` and returns the exit code. Never throws. */
export async function main(args: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(args, io)
  } catch (error) {
    const known = toMediaprocError(error)
    const { errorLines } = await import('./output/messages.ts')
    io.err(errorLines(io, known, args.includes('-v') || args.includes('--verbose')))
    return known.exit
  }
}
