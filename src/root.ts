import { readFileSync } from 'node:fs'

/**
 * The location of this package. Code runs from `dist` or from a bundle in `dist`, and in tests from `dist/modules`, or from
 * `src` and `tools`; all of it resolves the package's files from here, so that moving code never breaks a path.
 */
const here = import.meta.url

/** The folder with the `src` and `tools` of this code. */
export const CODE: URL = new URL(here.slice(0, here.lastIndexOf('/src/') + 1))

/** Whether this is the code of the package, and not that of tests. */
export const BUILT: boolean = CODE.href.endsWith('/dist/')

/** The package's folder. */
export const ROOT: URL = new URL(CODE.href.replace(/\/dist\/(?:modules\/)?$/, '/'))

/** Extension of the modules: TypeScript only in tests. */
export const EXTENSION: '.js' | '.ts' = here.endsWith('.ts') ? '.ts' : '.js'

/** A build product: fonts, catalogue, schemas, worker entries. Tests use the last build's. */
export function builtFile(path: string): URL {
  return new URL(`dist/${path}`, ROOT)
}

/** The package version from package.json. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string }).version
}
