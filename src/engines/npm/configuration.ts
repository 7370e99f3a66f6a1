import { fileURLToPath } from 'node:url'
import { ROOT } from '../../root.ts'

/** Options for npm's own libraries: registries, tokens, proxies, certificates. Only they read it. */
export type NpmOptions = Readonly<Record<string, unknown>> & { registry: string; replaceRegistryHost: string }

interface Configuration {
  load(): Promise<void>
  readonly flat: NpmOptions
}
type ConfigurationClass = new (parts: Record<string, unknown>) => Configuration

/**
 * The configuration that `npm` would use here: npm_config_* from the environment and the .npmrc of the project, user
 * and machine, without the command line, read by npm's own reader. Whatever works with npm works here.
 */
export async function npmOptions(environment: NodeJS.ProcessEnv = process.env): Promise<NpmOptions> {
  // They have no types.
  const { default: Config } = (await import('@npmcli/config' as string)) as { default: ConfigurationClass }
  const { default: known } = (await import('@npmcli/config/lib/definitions/index.js' as string)) as {
    default: Record<'definitions' | 'shorthands' | 'flatten' | 'nerfDarts', unknown>
  }
  const { definitions, shorthands, flatten, nerfDarts } = known
  const configuration = new Config({
    ...{ definitions, shorthands, flatten, nerfDarts, warn: false },
    npmPath: fileURLToPath(ROOT),
    argv: [process.execPath, 'npm'],
    // It writes its results into the environment, which must not be ours.
    env: { ...environment },
  })
  await configuration.load()
  // Downloads are kept in the store: a copy in npm's cache would be useless.
  return { ...configuration.flat, cache: undefined, preferOnline: true }
}
