import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../root.ts'

/** The options of npm's own libraries: registries, tokens, proxies, certificates. Opaque to callers. */
export type NpmOptions = Readonly<Record<string, unknown>> & { registry: string; replaceRegistryHost: string }

interface Configuration {
  load(): Promise<void>
  readonly flat: NpmOptions
}
type ConfigurationClass = new (parts: Record<string, unknown>) => Configuration

const require = createRequire(import.meta.url)

/**
 * The configuration that `npm` would have here: command line aside, npm_config_* of the environment, the .npmrc of the
 * project, of the user and of the machine, read by npm's own reader. What works with npm works here.
 */
export async function npmOptions(environment: NodeJS.ProcessEnv = process.env): Promise<NpmOptions> {
  const Config = require('@npmcli/config') as ConfigurationClass
  const { definitions, shorthands, flatten, nerfDarts } = require('@npmcli/config/lib/definitions')
  const configuration = new Config({
    ...{ definitions, shorthands, flatten, nerfDarts, warn: false },
    npmPath: fileURLToPath(ROOT),
    argv: [process.execPath, 'npm'],
    // It writes what it found into the environment, which must not be ours.
    env: { ...environment },
  })
  await configuration.load()
  // Downloads are kept in the model store: a copy in npm's cache would have no use.
  return { ...configuration.flat, cache: undefined, preferOnline: true }
}
