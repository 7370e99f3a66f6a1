import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * The MCP Inspector. It is not a dependency, because it has 120 packages of 110 MB: it is installed once, into a folder of
 * its version below the temporary folder. Its command line also runs on Node 20, which its `engines` do not include.
 */
const VERSION = '2.12.0'
const FOLDER = join(tmpdir(), `mediaproc-inspector-${VERSION}`)
const PROGRAM = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'

/** Installs the inspector from the npm registry, unless an earlier test has. Returns its program. */
export async function installInspector(): Promise<string> {
  const program = join(FOLDER, PROGRAM)
  if (existsSync(program)) return program
  const staged = mkdtempSync(`${FOLDER}-`)
  try {
    writeFileSync(join(staged, 'package.json'), '{"private":true}')
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-save']
    const install = ['install', ...options, `@modelcontextprotocol/inspector@${VERSION}`]
    await run('npm', install, { cwd: staged, shell: process.platform === 'win32' })
    // Another process may have installed it meanwhile.
    if (!existsSync(program)) renameSync(staged, FOLDER)
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
  return program
}

/** What the inspector printed. */
export interface Inspected {
  code: number
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers has no type before it is looked at
  json: any
  stderr: string
}

/** Runs the inspector's command line. Its settings are in a new folder, never in that of the user. */
export async function inspect(program: string, home: string, args: readonly string[]): Promise<Inspected> {
  mkdirSync(home, { recursive: true })
  const env = { ...process.env, HOME: home, USERPROFILE: home }
  const { code, stdout, stderr } = await run(process.execPath, [program, '--cli', ...args], { env }).then(
    (done) => ({ code: 0, ...done }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
  return { code, json: stdout === '' ? undefined : JSON.parse(stdout), stderr }
}
