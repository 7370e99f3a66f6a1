import { readdirSync, readFileSync } from 'node:fs'
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

test('what every run of a tool loads is one file, and one for its medium; all else stands on that of the steps alone', () => {
  const files = readdirSync(builtFile('src/together/')).filter((name) => name.endsWith('.js'))
  expect(files.sort()).toEqual(
    ['command', 'documents', 'pictures', 'recordings', 'rolldown-runtime', 'steps'].map((name) => `${name}.js`),
  )
  const shared = ['./rolldown-runtime.js', './steps.js']
  for (const file of files) {
    const others = importsOf(`src/together/${file}`).filter((name) => !shared.includes(name))
    expect(others, file).toEqual([])
  }
  expect(importsOf('src/together/steps.js')).toEqual(['./rolldown-runtime.js'])
})

test('a module that lies in such a file is the same for who loads it by its own path', async () => {
  const { MediaprocError } = await import(builtFile('src/errors.js').href)
  const { findTool } = await import(builtFile('src/pipeline/read/find-tool.js').href)
  expect(() => findTool('image/resice')).toThrow(MediaprocError)
  const { default: resize } = await import(builtFile('tools/image/geometry/resize.js').href)
  expect(await findTool('image/resize').loadTool()).toBe(resize)
})
