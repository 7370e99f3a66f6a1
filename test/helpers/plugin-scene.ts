/** A temporary folder with plugins, for the built program: plugins import `mediaproc/tool`, which only a build has. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { PROGRAM, temporaryFolder } from './program.ts'

export interface PluginScene {
  readonly path: string
  at(...parts: string[]): string
  /** Runs the program. @param more environment variables */
  run(args: readonly string[], more?: Record<string, string>): { code: number | null; stdout: string; stderr: string }
  /** Runs a script of the folder with node, in the same environment. */
  script(name: string): ReturnType<PluginScene['run']>
  /** Starts a server without accounts, with a store in the folder. */
  serve(...args: string[]): ChildProcessWithoutNullStreams
}

/** Makes the folder for each test. */
export function usePluginScene(): PluginScene {
  let folder: ReturnType<typeof temporaryFolder>
  beforeEach(() => {
    folder = temporaryFolder()
  })
  afterEach(() => folder.remove())
  const at = (...parts: string[]): string => join(folder.path, ...parts)
  const options = (more: Record<string, string>) => ({
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: folder.path, XDG_DATA_HOME: at('data'), ...more },
  })
  const node = (args: readonly string[], more: Record<string, string>) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { ...options(more), encoding: 'utf8' })
    return { code: status, stdout, stderr }
  }
  return {
    get path() {
      return folder.path
    },
    at,
    run: (args, more = {}) => node([PROGRAM, ...args], more),
    script: (name) => node([name], {}),
    serve: (...args) =>
      spawn(
        process.execPath,
        [PROGRAM, 'serve', '--port', '0', '--data', at('store'), ...args],
        options({ AUTH_ENABLED: 'false' }),
      ),
  }
}
