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

/** The error for a missing engine: what needs it, and the install command. */
export function engineUnavailable(engine: Pick<Engine, 'id' | 'install'>, what: string): MediaprocError {
  return new MediaprocError('ENGINE_UNAVAILABLE', `${what} needs ${engine.id}, which is not installed`, {
    hint: `Install it with: ${engine.install}`,
    fields: { engine: engine.id },
  })
}
