import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openSharp } from '../engines/sharp.ts'
import { findTool } from '../pipeline/read/find-tool.ts'
import { checkSettings } from '../tool/validate.ts'
import { runTask } from './run-task.ts'

/** The most frequent kind of job. */
const TARGET = 'image/resize'

const nothing = (): void => undefined

/**
 * Runs a tiny job, so that the libraries that take longest to load are ready for the first real job. Errors are
 * ignored: the job itself will report them.
 * @param folder for its files, which are removed afterwards
 * @returns whether it succeeded
 */
export async function warmUp(folder: string): Promise<boolean> {
  const own = join(folder, 'warm-up')
  const path = `${own}.jpg`
  try {
    const grey = { width: 16, height: 16, channels: 3, background: '#808080' } as const
    await (await openSharp(undefined, { create: grey })).jpeg().toFile(path)
    const settings = checkSettings(findTool(TARGET).entry.settings, { width: 8 })
    const inputs = [{ path, name: 'warm-up.jpg' }]
    const what = { id: 'warm-up', kind: 'tool', target: TARGET, settings, inputs, timeoutS: 0, heavy: false } as const
    const { signal } = new AbortController()
    const context = {
      staging: join(own, 'staging'),
      signal,
      onProgress: nothing,
      onWarning: nothing,
      onMoreTime: nothing,
      onInputLimit: nothing,
    }
    await runTask({ ...what, destination: own }, context)
    return true
  } catch {
    // The disk may be full, or sharp missing.
    return false
  } finally {
    for (const made of [own, path]) await rm(made, { recursive: true, force: true }).catch(nothing)
  }
}
