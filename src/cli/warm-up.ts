import { existsSync } from 'node:fs'
import { firstOf } from '../lists.ts'
import type { Isolation } from '../pipeline/isolate/isolation.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import type { Parsed } from './input/parse.ts'

/** Names without any of these characters are files; others may be patterns, lists, URLs or standard input. */
const PLAIN_NAME = /^[\w./\\ ][\w./\\ -]*$/

/** Whether the command line names existing inputs: a quick check, so that a mistyped name starts no engine. */
const hasInputs = ({ input }: CatalogueEntry, { operands, common }: Parsed): boolean =>
  !common.dryRun && operands.length >= input.min && operands.every((name) => !PLAIN_NAME.test(name) || existsSync(name))

/** Whether the first input is one file that ffprobe will read. */
const isAudioOrVideo = ({ medium, input: { accept } }: CatalogueEntry, { operands: [first = ''] }: Parsed): boolean =>
  medium === 'av' && !accept.includes('image') && PLAIN_NAME.test(first)

/** Probes the input in parallel with loading the code that plans and runs, which takes as long, if it needs a program. */
async function probeAhead(path: string, signal: AbortSignal): Promise<void> {
  const { readPlain } = await import('../media/av/plain.ts')
  // The tool reads it again, which takes 2 ms.
  if (readPlain(path)) return
  const { beginProbe } = await import('../engines/ffmpeg/ffprobe.ts')
  await beginProbe(path, signal)
}

/**
 * Starts slow parts while the rest of the program is loaded: the thread of an engine, and ffprobe on the first input.
 * @param signal ends the probe if the run fails before using it
 */
export function warmUp(entry: CatalogueEntry, parsed: Parsed, isolation: Isolation, signal: AbortSignal): void {
  if (!hasInputs(entry, parsed)) return
  void isolation.prepare([{ name: `${entry.section}/${entry.id}`, engines: entry.engines }])
  if (isAudioOrVideo(entry, parsed)) void probeAhead(firstOf(parsed.operands), signal)
}
