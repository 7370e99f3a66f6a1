import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { builtFile } from '../../src/root.ts'

const BUNDLES = 'src/bundles'

/** Static imports of a built file, except Node's own modules. */
const importsOf = (file: string): string[] =>
  [...readFileSync(builtFile(file), 'utf8').matchAll(/^import (?:[\w*${}, ]+ from )?"([^"]+)";$/gm)]
    .map(([, name]) => name!)
    .filter((name) => !name.startsWith('node:') && !/^[a-z_]+$/.test(name))

test('there is a bundle for every kind of run: one per medium and one for the server', () => {
  const files = readdirSync(builtFile(BUNDLES)).filter((name) => name.endsWith('.js'))
  expect(files.sort()).toEqual(
    ['av', 'command', 'image', 'pdf', 'rolldown-runtime', 'server', 'steps'].map((name) => `${name}.js`),
  )
  const shared = ['./rolldown-runtime.js', './steps.js']
  for (const name of ['av', 'command', 'image', 'pdf'])
    expect(
      importsOf(`${BUNDLES}/${name}.js`).filter((imported) => !shared.includes(imported)),
      name,
    ).toEqual([])
  expect(importsOf(`${BUNDLES}/steps.js`)).toEqual(['./rolldown-runtime.js'])
})

test('the server is one bundle with its packages, and shares the lower layers with tools', () => {
  expect(importsOf('src/server/server.js')).toEqual([])
  const imported = importsOf(`${BUNDLES}/server.js`)
  expect(imported).toContain('./steps.js')
  expect(imported.filter((name) => !name.startsWith('.') || name.startsWith('../server/'))).toEqual([])
})

/** All files that a built file loads statically. */
function loaded(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const text = readFileSync(builtFile(file), 'utf8')
  for (const [, path] of text.matchAll(/^(?:import|export)\s[^'";]*?from\s+['"](\.[^'"]+)['"]/gm))
    loaded(join(dirname(file), path!), found)
  return found
}

test.each([
  ...[
    'src/pool/worker.js',
    'src/pool/watchdog.js',
    'src/accounts/sso/saml-worker.js',
    'src/accounts/sso/ldap-worker.js',
  ],
  ...['src/cli/start.js', 'src/index.js', 'src/engines/process/guard-main.js'],
])('%s does not load the server', (file) => {
  expect([...loaded(file)].filter((name) => name.startsWith(`${BUNDLES}/server`))).toEqual([])
})

test('starting a program loads no package', () => {
  expect(importsOf('src/engines/process/execa.js')).toEqual(['../../bundles/rolldown-runtime.js'])
})

test('every module that a bundle imports exists', () => {
  for (const file of readdirSync(builtFile(BUNDLES)).filter((name) => name.endsWith('.js')))
    for (const [, path] of readFileSync(builtFile(`${BUNDLES}/${file}`), 'utf8').matchAll(
      /(?:from |import\()"(\.[^"]+)"/g,
    ))
      expect(() => readFileSync(new URL(path!, builtFile(`${BUNDLES}/`))), `${file}: ${path}`).not.toThrow()
})

test('a bundled module is the same when it is imported by its own path', async () => {
  const { MediaprocError } = await import(builtFile('src/errors.js').href)
  const { findTool } = await import(builtFile('src/pipeline/read/find-tool.js').href)
  expect(() => findTool('image/resice')).toThrow(MediaprocError)
  const { default: resize } = await import(builtFile('tools/image/geometry/resize.js').href)
  expect(await findTool('image/resize').loadTool()).toBe(resize)
})

test('every package that is compiled in can be loaded', async () => {
  const names = readdirSync(builtFile('src/vendor')).filter((name) => name.endsWith('.js'))
  expect(names.length).toBeGreaterThan(30)
  // In another process: the modules of this one would hide what is missing.
  const imports = names.map((name) => `await import(${JSON.stringify(builtFile(`src/vendor/${name}`).href)})`)
  execFileSync(process.execPath, ['--input-type=module', '-e', imports.join('\n')])
})
