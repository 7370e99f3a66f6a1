import { delimiter } from 'node:path'
import { environmentText } from '../../environment.ts'

/** The plugins that MEDIAPROC_PLUGINS names, also for the threads and processes of a program. */
export const environmentPlugins = (): string[] => environmentText('MEDIAPROC_PLUGINS').split(delimiter).filter(Boolean)

/** Loads them, in a thread or process whose starter has already reported what cannot be used. */
export async function useEnvironmentPlugins(): Promise<void> {
  const paths = environmentPlugins()
  if (paths.length > 0) await (await import('./load.ts')).loadPlugins(paths)
}
