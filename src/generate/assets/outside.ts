import { readFileSync } from 'node:fs'
import { ROOT } from '../../root.ts'
import { PACKS } from './engine-packs.ts'

const about = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as Record<string, Record<string, string>>

/** The packages that users install, at once or with an engine pack: everything else that the program imports is compiled into it. */
export const OUTSIDE: ReadonlySet<string> = new Set([
  ...['dependencies', 'optionalDependencies'].flatMap((list) => Object.keys(about[list] ?? {})),
  ...Object.values(PACKS).flatMap(({ packages }) => packages),
])

/** The package of an import: `@otplib/totp/x` is in `@otplib/totp`. */
export const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
