import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../root.ts'

/** What npm's own libraries take: registries, tokens, proxies, certificates. Only they look into it. */
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
  // What is fetched is kept in the store: a copy in npm's cache would be of no use.
  return { ...configuration.flat, cache: undefined, preferOnline: true }
}
