import type { Readable } from 'node:stream'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { bindToThisProcess, signalGroup } from './group.ts'
import { keepAll, keepEnd, lineSplitter } from './output.ts'

const MEBIBYTE = 1024 * 1024
/** Delay between SIGTERM and SIGKILL, milliseconds. */
const GRACE_MS = 2000
/** How long a descendant can keep the output open after the program has ended, milliseconds. */
const DRAIN_MS = 1000
/** Length of the end of stderr in an error's detail, characters. */
const DETAIL_LENGTH = 4096
/** The longest timeout that Node's timers support; longer means no limit. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** Programs receive only these environment variables, so that no secrets of the server reach them. */
const PASSED_ON =
  process.platform === 'win32'
    ? ['PATH', 'PATHEXT', 'SystemRoot', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA']
    : ['PATH', 'HOME', 'TMPDIR', 'LANG']
/** System error codes when a program does not exist or is not executable. */
const NOT_RUNNABLE = new Set(['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ENOEXEC', 'EISDIR'])

export interface ProgramOptions {
  /** The program's name in messages: `ffmpeg`. */
  what: string
  signal?: AbortSignal
  /** Timeout in wall time, milliseconds; none by default. */
  timeoutMs?: number
  /** Written to its standard input, which is closed otherwise. */
  input?: string | Uint8Array | Readable
  cwd?: string
  /** Additional variables besides PATH, HOME, TMPDIR and LANG, the only ones it inherits. */
  environment?: Record<string, string>
  /** Called for each line of output while it runs; empty lines are skipped. */
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void
  /** Called with each chunk of its standard output. */
  onData?: (chunk: Buffer) => void
  /**
   * Maximum bytes kept per stream, 1 MiB by default. More on stdout is an error (unless ignored); for stderr the end is
   * kept.
   */
  maxOutput?: number
  /** How its standard output is handled: kept as text (the default) or bytes, or dropped. */
  stdout?: 'buffer' | 'text' | 'ignore'
  /** Exit codes that mean success, 0 by default. */
  allowExit?: readonly number[]
}

export interface ProgramResult<Output extends string | Uint8Array = string> {
  stdout: Output
  /** The end of its standard error. */
  stderr: string
  exitCode: number
}

/**
 * Runs a program and waits until it ends: the only place that starts programs. No shell, arguments as an array, and a
 * separate process group. On abort or timeout the whole group gets SIGTERM, then SIGKILL two seconds later, and the
 * promise settles once the program is gone.
 * @throws MediaprocError INVALID_SETTINGS for an argument with a null character, CANCELED or the abort's reason,
 *   TIMEOUT, ENGINE_UNAVAILABLE when it cannot be started, PROCESSING_FAILED with the end of stderr as detail for any other end
 */
export function runProgram(
  path: string,
  args: readonly string[],
  options: ProgramOptions & { stdout: 'buffer' },
): Promise<ProgramResult<Uint8Array>>
export function runProgram(
  path: string,
  args: readonly string[],
  options: ProgramOptions & { stdout?: 'text' | 'ignore' },
): Promise<ProgramResult>
export async function runProgram(
  path: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult<string | Uint8Array>> {
  const {
    what,
    signal,
    onLine,
    onData,
    timeoutMs,
    maxOutput = MEBIBYTE,
    stdout: wanted = 'text',
    allowExit = [0],
  } = options
  if ([path, ...args].some((text) => text.includes('\0'))) {
    throw new MediaprocError('INVALID_SETTINGS', `A text with a null character cannot be given to ${what}`)
  }
  const { execa } = await import('./execa.ts')
  if (signal?.aborted) throw toMediaprocError(signal.reason, 'CANCELED')

  const child = execa(path, args, {
    ...(options.input === undefined ? { stdin: 'ignore' as const } : { input: options.input }),
    stdout: wanted === 'ignore' && !onLine && !onData ? 'ignore' : 'pipe',
    stderr: 'pipe',
    cwd: options.cwd,
    env: programEnvironment(options.environment),
    extendEnv: false,
    detached: process.platform !== 'win32',
    windowsHide: true,
    // Collecting output, ending the group and reporting the failure are done below, with our limits and messages.
    buffer: false,
    reject: false,
    cleanup: false,
  })

  let failure: MediaprocError | undefined
  let killTimer: NodeJS.Timeout | undefined
  const stop = (error: MediaprocError) => {
    if (failure) return
    failure = error
    if (child.pid === undefined) return
    const processId = child.pid
    signalGroup(processId, 'SIGTERM')
    killTimer = setTimeout(() => signalGroup(processId, 'SIGKILL'), GRACE_MS)
  }

  const stdout = keepAll(maxOutput, () =>
    stop(new MediaprocError('PROCESSING_FAILED', `${what} wrote more output than expected (over ${maxOutput} bytes)`)),
  )
  const stderr = keepEnd(maxOutput)
  const orStop = (listen: () => void): void => {
    try {
      listen()
    } catch (error) {
      stop(toMediaprocError(error))
    }
  }
  const splitters = (['stdout', 'stderr'] as const).map((stream) => {
    const splitter = lineSplitter((line) => orStop(() => onLine?.(line, stream)))
    child[stream]?.on('data', (chunk: Buffer) => {
      if (stream === 'stderr') stderr.add(chunk)
      else if (wanted !== 'ignore') stdout.add(chunk)
      if (onData && stream === 'stdout') orStop(() => onData(chunk))
      if (onLine) splitter.add(chunk)
    })
    return splitter
  })

  let exit: { code: number | null; signal: NodeJS.Signals | null } | undefined
  let drainTimer: NodeJS.Timeout | undefined
  child.once('exit', (code: number | null, endSignal: NodeJS.Signals | null) => {
    exit = { code, signal: endSignal }
    drainTimer = setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }, DRAIN_MS)
  })

  const unbind = child.pid === undefined ? undefined : bindToThisProcess(child.pid, timeoutMs === undefined)
  const onAbort = () => stop(toMediaprocError(signal?.reason, 'CANCELED'))
  signal?.addEventListener('abort', onAbort, { once: true })
  const limited = timeoutMs !== undefined && timeoutMs <= MAX_TIMER_MS
  const onTimeout = () =>
    stop(new MediaprocError('TIMEOUT', `${what} did not finish within ${(timeoutMs ?? 0) / 1000} s and was stopped`))
  const timeoutTimer = limited ? setTimeout(onTimeout, timeoutMs) : undefined

  const result = await child
  for (const timer of [killTimer, drainTimer, timeoutTimer]) clearTimeout(timer)
  signal?.removeEventListener('abort', onAbort)
  // Descendants that are still running are ended as well. On Windows the process id may have been reused by now.
  if (child.pid !== undefined && process.platform !== 'win32') signalGroup(child.pid, 'SIGKILL')
  unbind?.()
  if (onLine) for (const splitter of splitters) splitter.end()

  const errorText = stderr.bytes().toString('utf8')
  if (failure) throw failure
  if (!exit) throw notStarted(what, path, result)
  if (exit.code === null || !allowExit.includes(exit.code)) throw badEnd(what, exit, errorText)
  const output = stdout.bytes()
  return { stdout: wanted === 'buffer' ? output : output.toString('utf8'), stderr: errorText, exitCode: exit.code }
}

function programEnvironment(added: Record<string, string> = {}): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(passed), ...added }
}

function notStarted(what: string, path: string, result: { code?: string; originalMessage?: string; cause?: unknown }) {
  const detail = result.originalMessage ?? String(result.cause)
  if (result.code !== undefined && NOT_RUNNABLE.has(result.code)) {
    return new MediaprocError('ENGINE_UNAVAILABLE', `${what} could not be started`, {
      detail: `${path}: ${detail}`,
      cause: result.cause,
    })
  }
  return toMediaprocError(result.cause ?? detail, 'PROCESSING_FAILED', `${what} could not be started`)
}

function badEnd(what: string, exit: { code: number | null; signal: NodeJS.Signals | null }, errorText: string) {
  const detail = errorText.trim().slice(-DETAIL_LENGTH)
  if (exit.code !== null)
    return new MediaprocError('PROCESSING_FAILED', `${what} failed (exit code ${exit.code})`, { detail })
  return new MediaprocError('PROCESSING_FAILED', `${what} was ended by the system (${exit.signal})`, {
    detail,
    ...(exit.signal === 'SIGKILL'
      ? { hint: 'The system may have run out of memory: try a smaller file or fewer jobs at a time.' }
      : {}),
  })
}
