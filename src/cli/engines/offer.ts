import { isAvailable } from '../../engines/library.ts'
import { allPacks, packSize } from '../../engines/packs/manifest.ts'
import { environmentText } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'
import { readableSize } from '../../wording.ts'
import type { Io } from '../output/io.ts'
import { install } from './install.ts'

/** How packs may be installed during a run. */
export interface Offer {
  /** --install-engines */
  installEngines?: true | undefined
  quiet: boolean
  signal: AbortSignal
  /** Called before something else is shown. */
  onPause(): void
}

/**
 * Installs a pack that a job needs: without a question where --install-engines or MEDIAPROC_INSTALL allows it, on a terminal
 * after one question, and otherwise not.
 */
export async function offerPack(io: Io, name: string, offer: Offer): Promise<boolean> {
  const pack = allPacks().find((one) => one.name === name)
  if (!pack) return false
  if (isAvailable(pack)) return true
  const allowed = offer.installEngines === true || !['', '0', 'false'].includes(environmentText('MEDIAPROC_INSTALL'))
  if (!allowed && !(io.stdinIsTerminal && io.stderrIsTerminal)) return false
  offer.onPause()
  const size = readableSize(packSize([pack]).fetched)
  if (!allowed) {
    const { confirm } = await import('@inquirer/prompts')
    // It fits in 80 columns.
    const message = `This needs the engine pack ${name}. Download it (${size})?`
    const answer = await confirm({ message, default: true }, { output: io.stderr, signal: offer.signal }).catch(
      (error: Error) => {
        // Ctrl-C ends the run and not only the question.
        const isEnded = error.name === 'ExitPromptError' || error.name === 'AbortPromptError'
        throw isEnded ? new MediaprocError('CANCELED', 'Canceled') : error
      },
    )
    if (!answer) return false
  } else if (!offer.quiet) io.err(`mediaproc: installing the engine pack ${name} (${size})\n`)
  await install(io, [pack], offer.quiet, offer.signal)
  return true
}
