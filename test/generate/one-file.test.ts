import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { builtFile } from '../../src/root.ts'

/** What a built file loads at once, but for what Node brings. */
const importsOf = (file: string): string[] =>
  [...readFileSync(builtFile(file), 'utf8').matchAll(/^import (?:[\w*${}, ]+ from )?"([^"]+)";$/gm)]
    .map(([, name]) => name!)
    .filter((name) => !name.startsWith('node:') && !/^[a-z_]+$/.test(name))

test('the server loads its own floors and its packages as one file, and shares what tools load as well', () => {
  const loaded = importsOf('src/server/server.js')
  expect(loaded).toContain('../errors.js')
  expect(loaded.filter((name) => /^\.\/|^\.\.\/(accounts|store|pool)\//.test(name))).toEqual([])
  expect(loaded.filter((name) => !name.startsWith('.'))).toEqual([])
})

test('starting a program loads nothing but what Node brings', () => {
  expect(importsOf('src/engines/process/execa.js')).toEqual([])
})
