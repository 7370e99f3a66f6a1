import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type DestinationStream, type Logger, multistream, pino } from 'pino'
import type { LogLevel } from '../config.ts'

/** Size at which the log file is rotated, in bytes. */
const MAX_LOG_BYTES = 50_000_000
/** Bytes of lines that are buffered while the disk is full; further lines are lost. */
const MAX_WAITING_BYTES = 1_000_000

export interface ServerLog {
  log: Logger
  /** Rotates a large log file to `.1` and starts a new one. */
  rotate(): Promise<void>
}

/**
 * Structured logs: one JSON object per line, to standard error and to a file. They never contain credentials or
 * passwords: of a request, only method, path, status and time are logged.
 */
export function openLog(folder: string, level: LogLevel): ServerLog {
  const path = join(folder, 'mediaproc.log')
  const common = { sync: false, maxLength: MAX_WAITING_BYTES }
  const file = pino.destination({ dest: path, append: true, mode: 0o600, ...common })
  const standardError = pino.destination({ dest: 2, ...common })
  // A full disk must not end the server; buffered lines are written when there is space again.
  for (const stream of [file, standardError]) stream.on('error', () => undefined)
  const streams: { stream: DestinationStream; level: 'trace' }[] = [
    { stream: standardError, level: 'trace' },
    { stream: file, level: 'trace' },
  ]
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    // The form parser logs request headers at the level trace.
    redact: ['headers', '*.headers', 'password', 'token', 'key', 'settings'],
  }
  return {
    log: pino(options, multistream(streams)),
    async rotate() {
      const size = await stat(path).then(
        (about) => about.size,
        () => 0,
      )
      if (size < MAX_LOG_BYTES) return
      await rename(path, `${path}.1`)
      file.reopen()
    },
  }
}
