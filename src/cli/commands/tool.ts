import { existsSync } from 'node:fs'
import { EXIT, type ExitCode } from '../../errors.ts'
import { Isolation } from '../../pipeline/isolate/isolation.ts'
import { findTool } from '../../pipeline/read/find-tool.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { COMMON_OPTIONS } from '../input/common-options.ts'
import { toolFlags } from '../input/flags.ts'
import { type Parsed, parseArguments } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { asksForHelp } from '../usage.ts'

/** Names without any of these signs are those of files; others may be patterns, lists, addresses or standard input. */
const PLAIN_NAME = /^[\w./\\ ][\w./\\ -]*$/

/** Whether the command line names inputs that exist: a quick check, so that a mistyped name starts no engine. */
const hasInputs = ({ input }: CatalogueEntry, { operands, common }: Parsed): boolean =>
  !common.dryRun && operands.length >= input.min && operands.every((name) => !PLAIN_NAME.test(name) || existsSync(name))

/** Whether the first input is one file that ffprobe will read. */
const isAudioOrVideo = ({ medium, input: { accept } }: CatalogueEntry, { operands: [first = ''] }: Parsed): boolean =>
  medium === 'av' && !accept.includes('image') && PLAIN_NAME.test(first)

/** Probes the input while the code that plans and runs is loaded, which takes as long. */
async function probeAhead(path: string, signal: AbortSignal): Promise<void> {
  const { beginProbe } = await import('../../engines/ffmpeg/ffprobe.ts')
  await beginProbe(path, signal)
}

/** `mediaproc <section> <tool>[/<action>] FILES… [--setting value…]` */
export async function toolCommand(
  section: string | undefined,
  name: string,
  args: readonly string[],
  io: Io,
): Promise<ExitCode> {
  const found = findTool(name, section)
  const { entry } = found
  const fullName = `${entry.section} ${entry.id}`
  if (asksForHelp(args)) {
    const { toolHelp } = await import('../help.ts')
    io.out(toolHelp(entry, io.width))
    return EXIT.ok
  }
  const flags = toolFlags(entry.settings, entry.input.secondary ?? {}, COMMON_OPTIONS)
  const parsed = parseArguments(args, entry.settings, flags, `mediaproc ${fullName} --help`)
  const isolation = new Isolation()
  const over = new AbortController()
  if (hasInputs(entry, parsed)) {
    // An engine that needs a thread is loaded there while this one loads the code that plans and runs.
    void isolation.prepare([{ name: `${entry.section}/${entry.id}`, engines: entry.engines }])
    if (isAudioOrVideo(entry, parsed)) void probeAhead(parsed.operands[0]!, over.signal)
  }
  try {
    const { execute } = await import('../execute.ts')
    return await execute(found, parsed, io, { isolation })
  } finally {
    over.abort()
    await isolation.close()
  }
}
