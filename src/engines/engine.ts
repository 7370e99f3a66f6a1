import { MediaprocError } from '../errors.ts'

/** The status of an engine; `mediaproc doctor` prints it. */
export interface EngineStatus {
  available: boolean
  version?: string
  /** Absolute path of the program, or the name of the npm package. */
  path?: string
  /** How it was found. */
  source?: 'environment' | 'package' | 'path'
  /** It is here and cannot be used: why. Installing it again would not help. */
  blocked?: string
  /** A sentence about what is restricted, e.g. that an old build is in use. */
  warning?: string
  /** How documents that it reads are kept from doing harm, as a sentence. */
  protection?: string
  /** Named abilities, e.g. `libx264`, `encode heic`. */
  abilities?: string[]
}

/** The one adapter to an outside library or program declares itself with this. */
export interface Engine {
  id: string
  /** Its purpose, as half a sentence. */
  purpose: string
  kind: 'library' | 'program'
  licence: string
  /** The line that installs it, as a person would type it. */
  install: string
  /** Environment variable that names the program, e.g. MEDIAPROC_FFMPEG. */
  environment?: string
  /**
   * It blocks the calling thread for long, as WebAssembly does, and that thread can neither be queried nor stopped
   * meanwhile. Interfaces that must stay responsive run the steps of such engines on a separate thread.
   */
  blocking?: true
  /** Loads it before its first use. */
  prepare?(): Promise<unknown>
  /** Looks once and remembers; never throws. */
  probe(): Promise<EngineStatus>
}

/** The error for a missing engine: what needs it, and the line that installs it. */
export function engineUnavailable(engine: Pick<Engine, 'id' | 'install'>, what: string): MediaprocError {
  return new MediaprocError('ENGINE_UNAVAILABLE', `${what} needs ${engine.id}, which is not installed`, {
    hint: `Install it with: ${engine.install}`,
    fields: { engine: engine.id },
  })
}
