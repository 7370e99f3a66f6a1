/**
 * Build step: writes the API as types for `mediaproc/client`, from the OpenAPI document, and copies the type declarations of
 * openapi-fetch next to it, because users do not install that package.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../../root.ts'
import { apiDocument } from '../client/api-document.ts'
import { apiTypes } from '../client/api-types.ts'
import { notePackages, writePackages } from './bundled-packages.ts'

const FOLDER = builtFile('src/client/')
const require = createRequire(import.meta.url)

/** The package, and the one whose types it uses. */
const PACKAGES = ['openapi-fetch', 'openapi-typescript-helpers']

/** Imports of the packages become imports of the copies. */
const local = (text: string): string =>
  PACKAGES.reduce((changed, name) => changed.replaceAll(new RegExp(`(["'])${name}\\1`, 'g'), `'./${name}.js'`), text)

writeFileSync(new URL('schema.d.ts', FOLDER), apiTypes(await apiDocument()))
for (const name of PACKAGES) {
  const path = require.resolve(`${name}/dist/index.d.ts`)
  writeFileSync(new URL(`${name}.d.ts`, FOLDER), local(readFileSync(path, 'utf8')))
  notePackages([path])
}
for (const name of readdirSync(FOLDER).filter((one) => one.endsWith('.d.ts'))) {
  const path = fileURLToPath(new URL(name, FOLDER))
  writeFileSync(path, local(readFileSync(path, 'utf8')))
}
writePackages()
