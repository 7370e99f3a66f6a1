/** Runs the commands of the documentation in a shell as pasted, in a folder created by `npm run samples`. */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import type { ExampleResults } from '../../src/generate/docs/example-results.ts'
import { bundlesOf } from '../../src/tool/bundles.ts'
import { findEntry, useScannedCatalogue } from '../../src/tool/registry.ts'
import { buildProgram, PROGRAM } from './program.ts'
import { builtProgram, runProgramHere } from './program-here.ts'
import { documentationSamples } from './shared-samples.ts'
import { temporaryFolder } from './tool.ts'

export const ROOT = new URL('../../', import.meta.url)
export const page = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
export const readResults = (): ExampleResults => JSON.parse(page('docs/tools/examples.json')) as ExampleResults

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Shell {
  /** A fresh folder with the samples. */
  samples(): Promise<string>
  /**
   * Runs a line; a tool that declares models may report that they are not installed.
   * @param warnings of the stored result; if there are none, the run must report nothing
   * @returns standard output, or undefined if the models are missing
   */
  expectDone(line: string, cwd: string, warnings?: readonly string[]): Promise<string | undefined>
}

/** `mediaproc watch` ends with Ctrl-C. */
const runsOn = (line: string): boolean => line.startsWith('mediaproc watch ') && !line.includes(' --once')

/** Variables of the tests that also apply to pasted lines. */
export function pastedEnvironment(): Record<string, string | undefined> {
  const { MEDIAPROC_CACHE_DIR, MEDIAPROC_CHROMIUM_SANDBOX, MEDIAPROC_MODELS, HOME } = process.env
  return { HOME, MEDIAPROC_CACHE_DIR, MEDIAPROC_CHROMIUM_SANDBOX, MEDIAPROC_MODELS }
}

/** Runs a line in a shell; relative paths, no additions. A watch is interrupted when it has begun. */
function paste(line: string, cwd: string, bin: string): Promise<Ended> {
  const env = { ...pastedEnvironment(), PATH: `${bin}:${process.env.PATH}` }
  // With exec, the signal reaches the program and not the shell.
  const shell = spawn('bash', ['-c', runsOn(line) ? `exec ${line}` : line], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  shell.stdout.on('data', (part: Buffer) => {
    stdout += part.toString()
  })
  shell.stderr.on('data', (part: Buffer) => {
    const before = stderr
    stderr += part.toString()
    if (runsOn(line) && stderr.includes('Ctrl-C ends it') && !before.includes('Ctrl-C ends it')) shell.kill('SIGINT')
  })
  return new Promise((resolve) => shell.on('close', (code) => resolve({ code, stdout, stderr })))
}

/** What makes a line more than one command with words: pipes, files, variables, other programs. */
const MORE_THAN_WORDS = /[|<>&;$`\n]/

/** The words after `mediaproc`, split and filled in by the shell. */
function wordsOf(line: string, cwd: string): string[] {
  const text = execFileSync('bash', ['-c', `mediaproc() { printf '%s\\0' "$@"; }\n${line}`], { cwd, encoding: 'utf8' })
  return text.split('\0').slice(0, -1)
}

/**
 * Runs a line as `paste` does, with the built program in this process: a start of its own takes longer than most lines,
 * because compiled code, WebAssembly and fonts are loaded again. Lines that need more of a shell than its words are pasted.
 */
async function pasteHere(line: string, cwd: string, bin: string): Promise<Ended> {
  if (!line.startsWith('mediaproc ') || runsOn(line) || MORE_THAN_WORDS.test(line)) return paste(line, cwd, bin)
  const given = Object.entries(pastedEnvironment())
  const environment = Object.fromEntries(given.flatMap(([name, value]) => (value ? [[name, value]] : [])))
  return runProgramHere(wordsOf(line, cwd), { cwd, environment }, await builtProgram())
}

/** The tool of a line, if it names one of the program's own. */
const toolOf = (line: string) => /^mediaproc (image|video|audio|pdf|files) ([\w-]+)(?=\s|$)/.exec(line)?.slice(1, 3)

/** Finding what breaks a rule is what a check is for. */
const isFinding = (line: string, code: number | null): boolean => line.startsWith('mediaproc check ') && code === 1

/** How a line ended; see `Shell.expectDone`. */
export function expectEnded(line: string, ended: Ended, warnings?: readonly string[]): string | undefined {
  const { code, stdout, stderr } = ended
  const [section, id] = toolOf(line) ?? []
  const bundles = id === undefined ? [] : bundlesOf(findEntry(id, section))
  if (bundles.length > 0 && code === 3) {
    expect(stderr).toContain('(FEATURE_NOT_INSTALLED)')
    return undefined
  }
  if (isFinding(line, code)) expect(stderr).toMatch(/files? checked: /)
  else expect(code, `${line}\n${stderr}`).toBe(0)
  if (warnings?.length === 0) expect(stderr, line).toBe('')
  return stdout
}

/**
 * Builds the program, and puts it on the path of the lines of this file.
 * @param place whether every line starts a process, as for users, or only those that need it
 */
export function usePastedLines(place: 'process' | 'here' = 'process'): Shell {
  const run = place === 'here' ? pasteHere : paste
  const bin = temporaryFolder()
  beforeAll(async () => {
    buildProgram()
    await useScannedCatalogue()
    writeFileSync(join(bin, 'mediaproc'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, { mode: 0o755 })
  }, 180_000)
  return {
    async samples() {
      const folder = temporaryFolder()
      cpSync(await documentationSamples(), folder, { recursive: true })
      return folder
    },
    expectDone: async (line, cwd, warnings) => expectEnded(line, await run(line, cwd, bin), warnings),
  }
}
