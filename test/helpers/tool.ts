import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import { runJob } from '../../src/job/run.ts'
import { placeFile } from '../../src/job/workspace.ts'
import { openMediaFile } from '../../src/media/file.ts'
import { actionAsTool } from '../../src/pipeline/read/find-tool.ts'
import { runnable } from '../../src/pipeline/run/run-alone.ts'
import type { Tool } from '../../src/tool/contract.ts'
import { inspectSettings, settingsError } from '../../src/tool/validate.ts'

/** A folder for the tests of one file, removed afterwards. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Outcome {
  /** Paths of the outputs, in order. */
  paths: string[]
  names: string[]
  set: string | undefined
  report: Record<string, unknown>
  warnings: string[]
}

/** Runs a tool (or its action) as the command line and server do: checks settings, runs the job, moves outputs to `folder`. */
export async function run(
  tool: Tool,
  folder: string,
  inputs: readonly string[],
  settings: Record<string, unknown> = {},
  options: {
    secondary?: Record<string, string>
    /** The secondary files were named on this machine, as on the command line. */
    isLocal?: boolean
    action?: string
    signal?: AbortSignal
    /** A warning ends the job. */
    strict?: boolean
    /** Called with the completed part of the work, 0 to 1. */
    onProgress?: (fraction: number) => void
    /** Called when the tool names an output, before it is written. */
    onOutput?: (name: string) => void
  } = {},
): Promise<Outcome> {
  const wanted = options.action ? actionAsTool(tool, options.action) : tool
  // As over HTTP, ineffective settings are no error.
  const { values: checked, issues } = inspectSettings(wanted.settings, settings)
  if (issues.length > 0) throw settingsError(issues)
  wanted.check?.(checked)
  const secondary: Record<string, Awaited<ReturnType<typeof openMediaFile>>> = {}
  for (const [name, path] of Object.entries(options.secondary ?? {})) {
    const file = await openMediaFile(path)
    secondary[name] = options.isLocal ? { ...file, folder: dirname(file.path) } : file
  }
  const warnings: string[] = []
  const destination = mkdtempSync(join(folder, 'out-'))
  return runJob(
    {
      tool: runnable(wanted),
      inputs: await Promise.all(inputs.map((path) => openMediaFile(path, basename(path), tool.input.mayBeEmpty))),
      secondary,
      settings: checked,
      destination,
      onWarning: (message) => warnings.push(message),
      ...(options.signal && { signal: options.signal }),
      ...(options.strict && { strict: true }),
      onProgress: (fraction) => options.onProgress?.(fraction),
      onOutput: async (name) => options.onOutput?.(name),
    },
    async (result) => {
      const paths: string[] = []
      for (const file of result.files) {
        const to = join(destination, file.name)
        await placeFile(file.path, to, false)
        paths.push(to)
      }
      return {
        paths,
        names: result.files.map((file) => file.name),
        set: result.set,
        report: result.report ?? {},
        warnings,
      }
    },
  )
}
