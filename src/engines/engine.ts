import { MediaprocError } from '../errors.ts'

/** An engine's status; printed by `mediaproc doctor`. */
export interface EngineStatus {
  available: boolean
  version?: string
  /** Absolute path of the program, or the name of the npm package. */
  path?: string
  /** How it was found. */
  source?: 'environment' | 'package' | 'path'
  /** Why the installed engine cannot be used. Reinstalling it would not help. */
  blocked?: string
  /** A sentence about a restriction, e.g. that an old build is in use. */
  warning?: string
  /** A sentence about the protection against malicious documents. */
  protection?: string
  /** Named capabilities, e.g. `libx264`, `encode heic`. */
  abilities?: string[]
}

/** The declaration of the adapter to an external library or program. */
export interface Engine {
  id: string
  /** Its purpose, in half a sentence. */
  purpose: string
  kind: 'library' | 'program'
  licence: string
  /** The install command, as typed in a shell. */
  install: string
  /** The engine pack that brings it. */
  pack?: string
  /** Environment variable with the program's path, e.g. MEDIAPROC_FFMPEG. */
  environment?: string
  /**
   * Whether it blocks its calling thread for long, as WebAssembly does: the thread can then neither respond nor be
   * interrupted. Front ends that must stay responsive run the steps of such engines on a separate thread.
   */
  blocking?: true
  /** Loads it before its first use. */
  prepare?(): Promise<unknown>
  /** Detects the engine once and caches the result; never throws. */
  probe(): Promise<EngineStatus>
}

/** The command that installs an engine pack. */
export const installCommand = (pack: string): string => `mediaproc engines install ${pack}`

/** The error for a missing engine: what needs it, and the install command. An engine pack is in its fields. */
export function engineUnavailable(engine: Pick<Engine, 'id' | 'install' | 'pack'>, what: string): MediaprocError {
  const { id, install, pack } = engine
  return new MediaprocError('ENGINE_UNAVAILABLE', `${what} needs ${id}, which is not installed`, {
    hint: `Install it with: ${install}`,
    fields: { engine: id, ...(pack !== undefined && { pack }) },
  })
}
