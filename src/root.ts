import { readFileSync } from 'node:fs'

/**
 * The location of this package. Code runs from `src` and `tools` (tests), from `dist`, or from a bundle in `dist`; all
 * of it resolves the package's files from here, so that moving code never breaks a path.
 */
const here = import.meta.url
const inBuild = here.lastIndexOf('/dist/src/')

/** Whether this is compiled code. */
export const BUILT: boolean = inBuild >= 0

/** The package's folder. */
export const ROOT: URL = new URL(here.slice(0, (BUILT ? inBuild : here.lastIndexOf('/src/')) + 1))

/** A build product: fonts, catalogue, schemas, worker entries. Tests use the last build's. */
export function builtFile(path: string): URL {
  return new URL(`dist/${path}`, ROOT)
}

/** The package version from package.json. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string }).version
}
