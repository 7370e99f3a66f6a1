import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import { builtFile } from '../../root.ts'
import type { Engine, EngineStatus } from '../engine.ts'
import { runProgram } from '../process/process.ts'
import { type FoundProgram, findProgram } from '../process/programs.ts'
import { askWorker } from '../workers/worker-thread.ts'
import type { GhostscriptAnswer, GhostscriptRequest } from './worker.ts'

const PACKAGE = '@okathira/ghostpdl-wasm'

/** SAFER: only named files; BATCH and NOPAUSE: no prompts, exit when done; q: errors only, on stderr. */
const ALWAYS = ['-dSAFER', '-dBATCH', '-dNOPAUSE', '-q', '-sstdout=%stderr']

/** Default timeout, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 120_000

export interface GhostscriptOptions {
  signal?: AbortSignal
  /** In milliseconds, default 120,000. */
  timeoutMs?: number
  /**
   * Never uses the installed program: for jobs that read files of the `%rom%` device, which Debian's build does not
   * have.
   */
  bundledOnly?: boolean
}

/**
 * Runs Ghostscript off the main thread: the installed program if there is one (2 to 3 times faster), otherwise the
 * WebAssembly build in a worker thread. `files` are placed in its working folder under their plain names, and `args`
 * refer to them and to the outputs by name (`-sOutputFile=out.pdf in.pdf`). Returns the files that it wrote. An abort
 * or timeout stops it immediately.
 */
export async function runGhostscript(
  args: string[],
  files: Record<string, Uint8Array>,
  options: GhostscriptOptions = {},
): Promise<Map<string, Uint8Array>> {
  const { signal } = options
  if (signal?.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
  for (const name of Object.keys(files)) {
    if (!/^[\w.-]+$/.test(name)) throw new MediaprocError('INTERNAL', `Not a plain file name: ${name}`)
  }
  // A file that a PostScript program reads by name, such as a colour profile, must be allowed explicitly.
  const allowed = Object.keys(files).map((name) => `--permit-file-read=${name}`)
  const fullArgs = [...ALWAYS, ...allowed, ...args]
  const program = options.bundledOnly ? undefined : await findGhostscript()
  const written = program && (await runInstalled(program.path, fullArgs, files, options))
  return written ?? runBundled(fullArgs, files, options)
}

export function findGhostscript(): Promise<FoundProgram | undefined> {
  return findProgram({ environment: 'MEDIAPROC_GHOSTSCRIPT', names: ['gs', 'gswin64c', 'gswin32c'] })
}

/** Messages of the program (seen in 10.00.0) when it cannot read a PDF, writes an empty page and exits with 0. */
const NOT_OPENED = /Error: Couldn't initialise file|No pages will be processed/

/** Undefined if the program cannot read the file: the bundled version, which is newer than many, might. */
async function runInstalled(
  path: string,
  args: string[],
  files: Record<string, Uint8Array>,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: GhostscriptOptions,
): Promise<Map<string, Uint8Array> | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'mediaproc-gs-'))
  try {
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
    const { stderr } = await runProgram(path, args, {
      what: 'Ghostscript',
      cwd: folder,
      timeoutMs,
      environment: { TMPDIR: folder, TEMP: folder },
      ...(signal ? { signal } : {}),
    })
    if (NOT_OPENED.test(stderr)) return undefined
    const written = (await readdir(folder)).filter((name) => !(name in files)).sort()
    const results = new Map<string, Uint8Array>()
    for (const name of written) results.set(name, await readFile(join(folder, name)))
    return results
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runBundled(
  args: string[],
  files: Record<string, Uint8Array>,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: GhostscriptOptions,
): Promise<Map<string, Uint8Array>> {
  const library = pathToFileURL(createRequire(import.meta.url).resolve(PACKAGE)).href
  const limit = new AbortController()
  const timer = setTimeout(() => {
    limit.abort(
      new MediaprocError('TIMEOUT', `Ghostscript did not finish within ${timeoutMs / 1000} s and was stopped`),
    )
  }, timeoutMs)
  try {
    const answer = await askWorker<GhostscriptRequest, GhostscriptAnswer>(
      builtFile('src/engines/ghostscript/worker.js'),
      { library, args, files: Object.entries(files) },
      { signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal },
    )
    const isRead = !NOT_OPENED.test(answer.text)
    if (answer.exitCode === 0 && isRead) return new Map(answer.files)
    const sentence = isRead ? `Ghostscript failed (exit code ${answer.exitCode})` : 'Ghostscript cannot read the file'
    throw new MediaprocError('PROCESSING_FAILED', sentence, { detail: answer.text })
  } catch (error) {
    throw toMediaprocError(error, 'PROCESSING_FAILED', 'Ghostscript failed')
  } finally {
    clearTimeout(timer)
  }
}

export const ghostscript: Engine = {
  id: 'ghostscript',
  purpose: 'repacking the fonts of a PDF, gray and archival PDFs, reading EPS',
  kind: 'program',
  licence: 'AGPL-3.0-or-later',
  install: `npm install ${PACKAGE}`,
  environment: 'MEDIAPROC_GHOSTSCRIPT',
  async probe(): Promise<EngineStatus> {
    try {
      const program = await findGhostscript()
      if (!program) return bundledStatus()
      const { stdout } = await runProgram(program.path, ['--version'], { what: 'Ghostscript', timeoutMs: 10_000 })
      return { available: true, version: stdout.trim(), path: program.path, source: program.source }
    } catch (error) {
      return { available: false, warning: firstOf(String((error as Error).message).split('\n')) }
    }
  },
}

function bundledStatus(): EngineStatus {
  // The package exports only its entry, so its package.json is read from the parent folder.
  const entry = pathToFileURL(createRequire(import.meta.url).resolve(PACKAGE))
  const { version } = JSON.parse(readFileSync(new URL('../package.json', entry), 'utf8')) as { version: string }
  return { available: true, version, path: PACKAGE, source: 'package' }
}
